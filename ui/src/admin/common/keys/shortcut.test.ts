import { describe, expect, it } from 'vitest';
import { isField, keyOf } from './shortcut';

const event = (key: string, init: KeyboardEventInit = {}) =>
  new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });

describe('keys', () => {
  it.each([
    ['j', {}, 'j'],
    ['J', {}, 'j'],
    ['J', { shiftKey: true }, null],
    ['?', { shiftKey: true }, '?'],
    ['/', { shiftKey: true }, '/'],
    ['1', {}, '1'],
    ['j', { ctrlKey: true }, null],
    ['j', { metaKey: true }, null],
    ['j', { altKey: true }, null],
    // On an Italian keyboard it takes AltGr, which Windows tells as Ctrl and Alt.
    ['[', { altKey: true, ctrlKey: true }, '['],
    ['[', { altKey: true }, '['],
    ['€', { altKey: true, ctrlKey: true, isComposing: true }, null],
    ['1', { altKey: true }, null],
    ['Enter', { ctrlKey: true }, 'Ctrl+Enter'],
    ['Enter', { metaKey: true }, 'Ctrl+Enter'],
    ['k', { ctrlKey: true }, 'Ctrl+k'],
    ['K', { metaKey: true }, 'Ctrl+k'],
    ['K', { ctrlKey: true, shiftKey: true }, null],
    ['ArrowDown', { shiftKey: true }, 'Shift+ArrowDown'],
    ['ArrowDown', {}, null],
    ['Enter', {}, null],
    ['Escape', {}, null],
    ['Dead', {}, null],
    ['j', { isComposing: true }, null],
  ])('%s with %j are spelled %s', (key, init, wanted) => {
    expect(keyOf(event(key, init))).toBe(wanted);
  });

  it.each([
    ['<h1 tabindex="-1"></h1>', 'Enter'],
    ['<button></button>', null],
    ['<a href="#x">x</a>', null],
    ['<input type="checkbox">', null],
    ['<summary></summary>', null],
    ['<div role="option" tabindex="0"></div>', null],
  ])('Enter is a command only where it presses nothing: %s, %s', (markup, wanted) => {
    document.body.innerHTML = markup;
    const pressed = event('Enter', { bubbles: true });
    document.body.firstElementChild?.dispatchEvent(pressed);
    expect(keyOf(pressed)).toBe(wanted);
  });

  it.each([
    ['<input>', true],
    ['<input type="search">', true],
    ['<input type="password">', true],
    ['<textarea></textarea>', true],
    ['<select></select>', true],
    ['<div contenteditable="true"></div>', true],
    ['<div contenteditable="false"></div>', false],
    ['<input type="checkbox">', false],
    ['<button></button>', false],
    ['<a href="#x">x</a>', false],
  ])('typed into %s belong to it: %s', (markup, wanted) => {
    document.body.innerHTML = markup;
    expect(isField(document.body.firstElementChild)).toBe(wanted);
  });
});
