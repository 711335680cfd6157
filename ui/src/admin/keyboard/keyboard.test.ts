import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isField, Keyboard, keyOf, meaningOf, NOTICE_MS, SEQUENCE_MS, type Shortcut } from './keyboard';

const shortcut = (keys: string, more: Partial<Omit<Shortcut, 'run'>> = {}) => ({
  keys,
  label: `fa ${keys}`,
  group: 'prova',
  run: vi.fn<() => void>(),
  ...more,
});
const event = (key: string, init: KeyboardEventInit = {}) =>
  new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });

describe('what a key means', () => {
  const [j, gs, gp] = [shortcut('j'), shortcut('g s'), shortcut('g p')];

  it('is a command, the first of two keys, or nothing', () => {
    expect(meaningOf([j, gs, gp], '', 'j')).toEqual({ kind: 'run', shortcut: j });
    expect(meaningOf([j, gs, gp], '', 'g')).toEqual({ kind: 'wait', options: [gs, gp] });
    expect(meaningOf([j, gs, gp], 'g', 'p')).toEqual({ kind: 'run', shortcut: gp });
    expect(meaningOf([j, gs, gp], 'g', 'j')).toEqual({ kind: 'nothing' });
    expect(meaningOf([j], '', 'x')).toEqual({ kind: 'nothing' });
  });

  it('is refused where two commands are meant', () => {
    const other = shortcut('j', { label: 'altro' });
    expect(meaningOf([j, other], '', 'j')).toEqual({ kind: 'clash', keys: 'j', labels: ['fa j', 'altro'] });
    expect(meaningOf([shortcut('g'), gs], '', 'g')).toMatchObject({
      kind: 'clash',
      labels: ['fa g', 'fa g s'],
    });
  });

  it('is nothing where the sheet only explains what the browser does', () => {
    expect(meaningOf([{ keys: 'o', label: '', group: '' }], '', 'o')).toEqual({ kind: 'nothing' });
  });
});

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
    ['Enter', { ctrlKey: true }, 'Ctrl+Enter'],
    ['Enter', { metaKey: true }, 'Ctrl+Enter'],
    ['Enter', {}, null],
    ['Escape', {}, null],
    ['Dead', {}, null],
    ['j', { isComposing: true }, null],
  ])('%s with %j are spelled %s', (key, init, wanted) => {
    expect(keyOf(event(key, init))).toBe(wanted);
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

describe('the keyboard', () => {
  let keyboard: Keyboard;
  const press = (key: string, init?: KeyboardEventInit, target: Element = document.body) => {
    const sent = event(key, init);
    target.dispatchEvent(sent);
    return sent;
  };

  beforeEach(() => {
    vi.useFakeTimers();
    document.body.innerHTML = '<input id="box"><textarea id="area"></textarea><dialog></dialog>';
    keyboard = new Keyboard('prova_shortcuts');
    document.addEventListener('keydown', keyboard.onKeyDown);
  });
  afterEach(() => {
    document.removeEventListener('keydown', keyboard.onKeyDown);
    vi.useRealTimers();
  });

  it('runs a command and keeps the key from the browser; other keys it leaves alone', () => {
    const j = shortcut('j');
    const forget = keyboard.register(() => [j]);
    expect(press('j').defaultPrevented).toBe(true);
    expect(press('z').defaultPrevented).toBe(false);
    forget();
    expect(press('j').defaultPrevented).toBe(false);
    expect(j.run).toHaveBeenCalledTimes(1);
  });

  it('waits a while for the second key, and shows what it may be', () => {
    const gs = shortcut('g s');
    keyboard.register(() => [gs]);
    press('g');
    expect(keyboard.state.waiting).toEqual({ key: 'g', options: [gs] });
    press('s');
    expect(gs.run).toHaveBeenCalledTimes(1);
    expect(keyboard.state.waiting).toBeNull();
    press('g');
    vi.advanceTimersByTime(SEQUENCE_MS);
    expect(keyboard.state.waiting).toBeNull();
    press('s');
    press('g');
    press('z');
    press('s');
    expect(gs.run).toHaveBeenCalledTimes(1);
  });

  it('does nothing where two commands are meant, and says so for a while', () => {
    const [one, other] = [shortcut('x'), shortcut('x', { label: 'altro' })];
    keyboard.register(() => [one]);
    keyboard.register(() => [other]);
    press('x');
    expect(one.run).not.toHaveBeenCalled();
    expect(other.run).not.toHaveBeenCalled();
    expect(keyboard.state.notice).toBe('Il tasto x ha più significati (fa x; altro): non è successo nulla.');
    vi.advanceTimersByTime(NOTICE_MS);
    expect(keyboard.state.notice).toBeNull();
  });

  it('is silent in fields, but for keys with Ctrl that ask for it', () => {
    const [j, save, only] = [
      shortcut('j'),
      shortcut('Ctrl+Enter', { inFields: true }),
      shortcut('Ctrl+Enter', { label: 'non nei campi' }),
    ];
    keyboard.register(() => [j, save]);
    for (const id of ['box', 'area']) {
      const field = document.getElementById(id) as Element;
      expect(press('j', {}, field).defaultPrevented).toBe(false);
      press('Enter', { ctrlKey: true }, field);
    }
    expect(j.run).not.toHaveBeenCalled();
    expect(save.run).toHaveBeenCalledTimes(2);
    keyboard.register(() => [only]);
    press('Enter', { ctrlKey: true }, document.getElementById('area') as Element);
    expect(save.run).toHaveBeenCalledTimes(3);
    expect(only.run).not.toHaveBeenCalled();
  });

  it('is silent while a dialog is open, and when somebody else has taken the key', () => {
    const j = shortcut('j');
    keyboard.register(() => [j]);
    const dialog = document.querySelector('dialog');
    dialog?.setAttribute('open', '');
    press('j');
    dialog?.removeAttribute('open');
    document.body.addEventListener('keydown', (taken) => taken.preventDefault(), { once: true });
    press('j');
    expect(j.run).not.toHaveBeenCalled();
  });

  it('repeats only commands that may be repeated', () => {
    const [j, x] = [shortcut('j', { repeats: true }), shortcut('x')];
    keyboard.register(() => [j, x]);
    press('j', { repeat: true });
    expect(press('x', { repeat: true }).defaultPrevented).toBe(true);
    expect(j.run).toHaveBeenCalledTimes(1);
    expect(x.run).not.toHaveBeenCalled();
  });

  it('can be turned off, remembers it, and still knows the keys with Ctrl (WCAG 2.1.4)', () => {
    const [j, save] = [shortcut('j'), shortcut('Ctrl+Enter', { inFields: true })];
    keyboard.register(() => [j, save]);
    keyboard.enable(false);
    expect(press('j').defaultPrevented).toBe(false);
    press('Enter', { ctrlKey: true });
    expect(j.run).not.toHaveBeenCalled();
    expect(save.run).toHaveBeenCalledTimes(1);
    expect(new Keyboard('prova_shortcuts').state.enabled).toBe(false);
    keyboard.enable(true);
    press('j');
    expect(j.run).toHaveBeenCalledTimes(1);
    expect(new Keyboard('prova_shortcuts').state.enabled).toBe(true);
  });

  it('says so when the browser does not let it remember', () => {
    vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
      throw new DOMException('forbidden', 'SecurityError');
    });
    keyboard.enable(false);
    expect(keyboard.state).toMatchObject({
      enabled: false,
      notice: expect.stringContaining('La scelta vale solo'),
    });
  });
});
