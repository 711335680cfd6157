import { act, render } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { BrandingProvider } from '../common/branding';
import { sampleBranding } from '../testing/samples';
import { KeyboardProvider, useShortcuts } from './keyboard-context';

const press = (key: string, init: KeyboardEventInit = {}) =>
  document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }),
  );

const open = (page: React.ReactNode) =>
  render(
    <BrandingProvider branding={sampleBranding}>
      <KeyboardProvider>{page}</KeyboardProvider>
    </BrandingProvider>,
  );

/** A form with a key that changes it and one that saves what it holds. */
function Form({ onSave }: { onSave: (value: string) => void }) {
  const [value, setValue] = useState('Nuova');
  useShortcuts('prova', [
    { keys: '3', label: 'scegli', run: () => setValue('Risolta') },
    { keys: 'Ctrl+Enter', label: 'salva', run: () => onSave(value) },
  ]);
  return <p>{value}</p>;
}

let show: (value: string) => void;

/** A text with a key that saves it; the key comes as soon as another text stands on the page. */
function Shown({ onSave }: { onSave: (value: string) => void }) {
  const [value, setValue] = useState('prima');
  show = setValue;
  useShortcuts('prova', [{ keys: 's', label: 'salva', run: () => onSave(value) }]);
  const arrived = (text: HTMLElement | null) => {
    if (text && value === 'dopo') {
      // Before anything else happens: right behind the drawing.
      queueMicrotask(() => press('s'));
    }
  };
  return (
    <p key={value} ref={arrived}>
      {value}
    </p>
  );
}

describe('commands of a screen', () => {
  it('act on what is shown, from the moment it is', async () => {
    const saved = vi.fn<(value: string) => void>();
    open(<Shown onSave={saved} />);
    // As outside of tests: nobody hurries what React does once a page is drawn.
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
    show('dopo');
    await vi.waitFor(() => expect(saved).toHaveBeenCalled());
    expect(saved.mock.calls).toEqual([['dopo']]);
  });

  it('are gone with their screen, and never there twice', () => {
    const saved = vi.fn<(value: string) => void>();
    const view = open(<Form onSave={saved} />);
    for (const _ of [1, 2, 3]) {
      act(() => void press('3'));
    }
    act(() => void press('Enter', { ctrlKey: true }));
    expect(saved).toHaveBeenCalledTimes(1);
    view.unmount();
    press('Enter', { ctrlKey: true });
    expect(saved).toHaveBeenCalledTimes(1);
  });
});
