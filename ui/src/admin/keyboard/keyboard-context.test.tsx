import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BrandingProvider } from '../common/branding';
import { KeyRegistryProvider, Pages } from '../common/keys/registry';
import { keysOf } from '../testing/panel-page';
import { sampleBranding } from '../testing/samples';
import { type Command, HINT_MS, KeyboardProvider, useShortcuts } from './keyboard-context';

const press = (key: string, init: KeyboardEventInit = {}) =>
  document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }),
  );

function open(page: React.ReactNode) {
  const element = <KeyboardProvider>{page}</KeyboardProvider>;
  const router = createMemoryRouter([{ element: <Pages />, children: [{ path: '*', element }] }]);
  return render(
    <BrandingProvider branding={sampleBranding}>
      <KeyRegistryProvider value={keysOf(router)}>
        <RouterProvider router={router} />
      </KeyRegistryProvider>
    </BrandingProvider>,
  );
}

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
    // As outside of tests: what React does once a page is drawn is not hurried.
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

function Screen({ commands, coming = false }: { commands: Command[]; coming?: boolean }) {
  useShortcuts('prova', commands, coming);
  return (
    <>
      <input aria-label="campo" />
      <dialog data-testid="dialog" />
    </>
  );
}

describe('keys', () => {
  const run = vi.fn<(keys: string) => void>();
  const command = (keys: string, more: Partial<Command> = {}): Command => ({
    keys,
    label: `fa ${keys}`,
    run: () => run(keys),
    ...more,
  });
  const type = (key: string, init: KeyboardEventInit = {}, target: Element = document.body) =>
    fireEvent.keyDown(target, { key, ...init });
  const done = () => run.mock.calls.flat();
  /** The live region of hints, which is there before anything is said. */
  const hint = () => screen.getByRole('status').textContent;

  const field = () => screen.getByLabelText('campo');

  beforeEach(() => {
    vi.useFakeTimers();
    run.mockClear();
  });

  it('are kept from the browser when they run something; others it gets', () => {
    open(<Screen commands={[command('j'), { keys: 'Enter', label: 'solo spiegato' }]} />);
    expect(type('j')).toBe(false);
    expect(type('z')).toBe(true);
    expect(type('Enter')).toBe(true);
    expect(done()).toEqual(['j']);
  });

  it('of two wait a while for the second, and say what it may be', () => {
    open(<Screen commands={[command('g s'), command('g p')]} />);
    type('g');
    expect(hint()).toBe('g pois fa g sp fa g p');
    type('s');
    expect(hint()).toBe('');
    type('g');
    act(() => void vi.advanceTimersByTime(HINT_MS));
    expect(hint()).toBe('');
    type('s');
    type('g');
    type('z');
    type('s');
    expect(done()).toEqual(['g s']);
  });

  it('of two are given up with Escape', () => {
    open(<Screen commands={[command('r 3'), command('3')]} />);
    type('r');
    type('Escape');
    expect(hint()).toBe('');
    type('3');
    expect(done()).toEqual(['3']);
  });

  it('are silent in fields, but for those with Ctrl that ask for it', () => {
    open(<Screen commands={[command('j'), command('Ctrl+Enter', { inFields: true })]} />);
    expect(type('j', {}, field())).toBe(true);
    type('Enter', { ctrlKey: true }, field());
    expect(done()).toEqual(['Ctrl+Enter']);
  });

  it('are silent while a dialog is open, and when somebody else has taken the key', () => {
    open(<Screen commands={[command('j')]} />);
    const dialog = screen.getByTestId('dialog');
    dialog.setAttribute('open', '');
    type('j');
    dialog.removeAttribute('open');
    document.body.addEventListener('keydown', (taken) => taken.preventDefault(), { once: true });
    type('j');
    expect(done()).toEqual([]);
  });

  it('repeat only what may be repeated', () => {
    open(<Screen commands={[command('j', { repeats: true }), command('x')]} />);
    type('j', { repeat: true });
    expect(type('x', { repeat: true })).toBe(false);
    expect(done()).toEqual(['j']);
  });

  const turnOff = () => {
    type('?', { shiftKey: true });
    fireEvent.click(screen.getByLabelText(/Usa le scorciatoie/));
    fireEvent.click(screen.getByText('Chiudi'));
  };

  it('can be turned off for this browser, but those with Ctrl (WCAG 2.1.4)', () => {
    const commands = [command('j'), command('Ctrl+Enter', { inFields: true })];
    const view = open(<Screen commands={commands} />);
    turnOff();
    view.unmount();
    open(<Screen commands={commands} />);
    expect(type('j')).toBe(true);
    type('Enter', { ctrlKey: true });
    expect(done()).toEqual(['Ctrl+Enter']);
  });

  it('say so when the browser does not let it remember', () => {
    open(<Screen commands={[command('j')]} />);
    vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
      throw new DOMException('forbidden', 'SecurityError');
    });
    turnOff();
    expect(hint()).toContain('La scelta vale solo');
  });
});

let arrive: () => void;

/** A screen whose first command acts at once, the others when what they act on arrives. */
function Coming({ commands: [first, ...others] }: { commands: readonly Command[] }) {
  const [arrived, setArrived] = useState(false);
  arrive = () => act(() => setArrived(true));
  useShortcuts('già qui', first ? [first] : []);
  return <Screen commands={others} coming={!arrived} />;
}

describe('keys whose page is still coming', () => {
  const run = vi.fn<(keys: string) => void>();
  const commands = ['k', 'j', 'x'].map((keys) => ({ keys, label: keys, run: () => run(keys) }));
  const done = async () => {
    await act(async () => undefined);
    return run.mock.calls.flat();
  };

  beforeEach(() => run.mockClear());

  it('wait for it, and those behind them too', async () => {
    open(<Coming commands={commands} />);
    press('k');
    expect(press('j')).toBe(false);
    for (const key of ['y', 'k', 'x']) {
      press(key);
    }
    expect(await done()).toEqual(['k']);
    arrive();
    expect(await done()).toEqual(['k', 'j', 'k', 'x']);
  });

  it.each([
    ['the pointer', () => fireEvent.pointerDown(document.body)],
    ['Tab', () => void press('Tab')],
  ])('are overruled by %s', async (_name, overrule) => {
    open(<Coming commands={commands} />);
    press('j');
    overrule();
    arrive();
    expect(await done()).toEqual([]);
  });

  it('stand in the sheet already', () => {
    open(<Coming commands={commands} />);
    act(() => void press('?', { shiftKey: true }));
    expect(screen.getByRole('dialog', { name: 'Scorciatoie da tastiera' })).toHaveTextContent(/prova.*j.*x/);
  });

  it('leave the space bar to what has the focus', async () => {
    open(<Coming commands={commands} />);
    expect(press(' ')).toBe(true);
  });
});
