import { act, fireEvent, screen, within } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatReply } from '../shared/api/schema';
import type { Boot } from '../shared/lib/boot';
import { Page } from './page';
import { renderShell } from './prerender';
import { CODE, FakeNewsroom } from './testing/fake-newsroom';
import { answer, boot, box, open, pass } from './testing/visit';

const callout = {
  slug: 'posti-letto',
  title: 'Avete pagato per un <posto> letto?',
  intro: 'Raccontatelo.\nAnche senza nome.',
  closedText: null,
};
const ANSWERS = [
  '34',
  'Maria',
  'Rossi',
  '3331234567',
  'maria@example.it',
  'Via Roma 1, Milano',
  'Il racconto.',
];

let newsroom: FakeNewsroom;
const said = (text: string) => within(screen.getByRole('region', { name: 'Conversazione' })).getByText(text);
async function answerAll() {
  for (const text of ANSWERS) {
    await answer(text);
  }
}

/** Presses the button of the review, with something to add or not. */
async function send(addition = '', wait = 1000) {
  if (addition !== '') {
    fireEvent.click(screen.getByRole('button', { name: 'Aggiungi qualcosa' }));
    fireEvent.change(box(), { target: { value: addition } });
  }
  fireEvent.click(screen.getByRole('button', { name: 'Invia la segnalazione' }));
  await pass(wait);
}

const { localStorage, sessionStorage } = window;
/** The browser throws where this storage is looked for, until the test is over. */
function forbid(name: 'localStorage' | 'sessionStorage') {
  const get = () => {
    throw new Error('forbidden');
  };
  Object.defineProperty(window, name, { configurable: true, get });
}

beforeEach(() => {
  vi.useFakeTimers();
  newsroom = new FakeNewsroom().install();
});

afterEach(() => {
  Object.defineProperty(window, 'localStorage', { configurable: true, value: localStorage });
  Object.defineProperty(window, 'sessionStorage', { configurable: true, value: sessionStorage });
});

describe('the chat', () => {
  it('shows the dots for a second while the request runs, the box read-only and focused', async () => {
    await open();
    await answer('34', 999);
    expect(newsroom.turns()).toHaveLength(1);
    expect(screen.getByTestId('typing')).toBeInTheDocument();
    expect(box()).toHaveAttribute('aria-disabled', 'true');
    expect(box()).toHaveFocus();
    await pass(1);
    expect(screen.queryByTestId('typing')).toBeNull();
    expect(said('Domanda 2')).toBeInTheDocument();
    expect(box()).toHaveFocus();
  });

  it('sends on Enter, not on Shift+Enter, nor while composing, nor blanks', async () => {
    await open();
    fireEvent.change(box(), { target: { value: '34' } });
    fireEvent.keyDown(box(), { key: 'Enter', shiftKey: true });
    fireEvent.keyDown(box(), { key: 'Enter', isComposing: true });
    fireEvent.change(box(), { target: { value: '   ' } });
    expect(screen.getByRole('button', { name: 'Avanti' })).toBeDisabled();
    fireEvent.keyDown(box(), { key: 'Enter' });
    await pass(1000);
    expect(newsroom.turns()).toHaveLength(0);
  });

  it('leaves a refused answer in the field, with what is wrong below and no bubble of either', async () => {
    await open();
    await answer('boh');
    expect(box()).toHaveValue('boh');
    expect(box()).toHaveAttribute('aria-invalid', 'true');
    expect(box()).toHaveAccessibleDescription('Non va bene.');
    expect(screen.getByRole('alert')).toHaveTextContent('Non va bene.');
    expect(within(screen.getByRole('region')).getAllByRole('listitem')).toHaveLength(1);
  });

  it('gives the text back after a fault, and sends the very same turn again', async () => {
    await open();
    await answer('34');
    newsroom.fault = 500;
    await answer('Maria');
    expect(screen.getByRole('alert')).toHaveTextContent('Si è verificato un errore. Riprova.');
    expect(box()).toHaveValue('Maria');
    newsroom.fault = null;
    fireEvent.keyDown(box(), { key: 'Enter' });
    await pass(1000);
    expect(said('Domanda 3')).toBeInTheDocument();
    const [, first, second] = newsroom.turns();
    expect(second).toEqual(first);
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
  });

  it('proves the last turn in a siege, says so, and files one report', async () => {
    newsroom.bits = 14;
    await open();
    await answerAll();
    await send('', 0);
    // On the screen, and said.
    expect(screen.getAllByText(/^Un momento: stiamo verificando/)).toHaveLength(2);
    await vi.dynamicImportSettled();
    await pass(2000);
    expect(screen.getByText('Grazie!')).toBeVisible();
    expect([...newsroom.reports.values()]).toEqual(['no']);
    expect(screen.queryByText(/stiamo verificando/)).toBeNull();
  });

  it('tries a dropped line once more before it says so, with one conversation only', async () => {
    await open();
    await answer('34');
    newsroom.fault = 'line';
    await answer('Maria', 3000);
    expect(newsroom.turns()).toHaveLength(3);
    expect(screen.getByRole('alert')).toHaveTextContent('Si è verificato un errore. Riprova.');
    newsroom.fault = null;
    fireEvent.keyDown(box(), { key: 'Enter' });
    await pass(1000);
    expect(newsroom.requests.filter((request) => request.path === '/chat')).toHaveLength(1);
  });

  it('takes back what it said of a fault once the line is there again', async () => {
    await open();
    await answer('34');
    newsroom.fault = 'line';
    await answer('Maria', 3000);
    newsroom.fault = null;
    await pass(2500);
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
    expect(box()).toHaveValue('Maria');
  });

  it('stays in the conversation it began when its first turn fails', async () => {
    await open();
    newsroom.fault = 'turns';
    await answer('34');
    newsroom.fault = null;
    fireEvent.keyDown(box(), { key: 'Enter' });
    await pass(1000);
    expect(newsroom.turns()).toEqual(Array(2).fill({ conversation: '1:0', text: '34' }));
  });

  it('offers a new start when the server lost the conversation', async () => {
    await open();
    await answer('34');
    newsroom.fault = 400;
    await answer('Maria');
    expect(screen.getByRole('alert')).toHaveTextContent('Motivo 400.');
    fireEvent.click(within(screen.getByRole('main')).getByRole('button', { name: 'Ricomincia' }));
    newsroom.fault = null;
    await answer('35');
    expect(newsroom.turns().at(-1)?.conversation).toBe('2:0');
  });
});

const HELP =
  'Chiama subito il 112. Telefono Amico risponde allo 02 2327 2327 dalle 9 alle 24; chi ha 18 anni, dal 2026, al 1522.';

describe('the review', () => {
  const button = () => screen.getByRole('button', { name: 'Invia la segnalazione' });

  it('shows what will be sent, names what was not given, and says that nothing has left', async () => {
    await open();
    await answerAll();
    expect(screen.getByRole('heading', { name: 'Controlla e invia' })).toHaveFocus();
    expect(screen.queryByRole('region', { name: 'Conversazione' })).toBeNull();
    expect(screen.queryByRole('textbox')).toBeNull();
    const terms = screen.getAllByRole('term').map(({ textContent }) => textContent);
    expect(terms).toEqual(['Il tuo nome', 'La tua email', 'La tua segnalazione']);
    const [name, email] = screen.getAllByRole('definition');
    expect(name).toHaveTextContent('Come tenuto');
    expect(email).toHaveTextContent('Non indicato');
    expect(screen.getByText('Non abbiamo ancora ricevuto nulla: parte quando premi.')).toBeInTheDocument();
    await send();
    expect([...newsroom.reports.values()]).toEqual(['no']);
  });

  it('takes every word of what is added, also a no at its beginning', async () => {
    await open();
    await answerAll();
    fireEvent.click(screen.getByRole('button', { name: 'Aggiungi qualcosa' }));
    for (const text of ['n', 'no', 'non', 'non è stato lui']) {
      fireEvent.change(box(), { target: { value: text } });
      expect(box()).toHaveValue(text);
    }
    await send();
    expect([...newsroom.reports.values()]).toEqual(['non è stato lui']);
  });

  it('shows what a text that sends nothing is answered', async () => {
    await open();
    await answerAll();
    const messages = ['Legge la redazione.', 'Manca qualcosa?'].map((text) => ({ type: 'bot', text }));
    newsroom.next = {
      rule: 'guided',
      finished: false,
      state: 'collect_report',
      messages,
      conversation: '1:7',
    };
    await send('Chi legge?');
    await pass(1000);
    expect(screen.getByText('Legge la redazione.')).toBeInTheDocument();
    expect(screen.getByText('Manca qualcosa?')).toHaveRole('heading');
    expect(button()).toBeInTheDocument();
  });

  it('goes again as it was once it may have arrived, and says so', async () => {
    await open();
    await answerAll();
    newsroom.fault = 500;
    forbid('localStorage');
    await send('Anche di notte');
    expect(screen.getByRole('alert')).toHaveTextContent('Si è verificato un errore. Riprova.');
    expect(screen.getByText(/^Forse è già arrivata\. Premi di nuovo/)).toBeInTheDocument();
    expect(screen.queryByText(/^Non abbiamo ancora ricevuto nulla/)).toBeNull();
    expect(box()).toHaveAttribute('readonly');
    const asked = newsroom.requests.length;
    fireEvent.click(screen.getByRole('button', { name: /^Correggi.*nome/ }));
    await pass(1000);
    expect(newsroom.requests.slice(asked).map(({ path }) => path)).not.toContain('/chat/back');
    newsroom.fault = null;
    await send();
    expect([...newsroom.reports.values()]).toEqual(['Anche di notte']);
  });

  it('does not add the word of the button after a fault', async () => {
    await open();
    await answerAll();
    newsroom.fault = 500;
    forbid('localStorage');
    await send();
    expect(screen.queryByRole('textbox')).toBeNull();
    newsroom.fault = null;
    await send();
    expect([...newsroom.reports.values()]).toEqual(['no']);
  });

  it('waits while help must be read', async () => {
    await open();
    for (const text of ANSWERS.slice(0, 6)) {
      await answer(text);
    }
    newsroom.next = {
      messages: [
        { type: 'bot', text: HELP, hold: true },
        { type: 'bot', text: 'Altro?' },
      ],
    };
    await answer('Il racconto.');
    expect(screen.queryByRole('heading', { name: 'Controlla e invia' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Ho letto' }));
    expect(screen.getByRole('heading', { name: 'Controlla e invia' })).toHaveFocus();
  });
});

describe('what must be read', () => {
  const held = (text = HELP) => ({ type: 'bot', text, hold: true });
  const pin = () => screen.queryByText(/^Chiama subito il/)?.closest('[role="alert"]') ?? null;

  async function help() {
    await answer('34');
    newsroom.next = { messages: [held(), { type: 'bot', text: 'Domanda 3' }] };
    await answer('Ho paura');
  }

  it('stands word for word outside of the transcript, its numbers to be called, also after a reload', async () => {
    const first = await open();
    await help();
    first.unmount();
    await open();
    const alert = within(pin() as HTMLElement);
    expect(alert.getByText(/^Chiama subito il/)).toHaveTextContent(HELP);
    expect(alert.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['112', 'tel:112'],
      ['02 2327 2327', 'tel:0223272327'],
      ['1522', 'tel:1522'],
    ]);
    expect(alert.getAllByRole('listitem').at(1)).toHaveTextContent('02 2327 2327Telefono Amico');
    expect(within(screen.getByRole('region')).queryByText(/^Chiama/)).toBeNull();
    // It interrupts by itself; and nothing stands out beside it.
    expect(screen.getByRole('log')).not.toHaveTextContent('Chiama');
    expect(screen.getByRole('button', { name: 'Avanti' })).not.toHaveAttribute('data-main');
  });

  it('becomes a bubble once it has been read', async () => {
    await open();
    await help();
    fireEvent.click(screen.getByRole('button', { name: 'Ho letto' }));
    expect(pin()).toBeNull();
    expect(screen.getByRole('region', { name: 'Conversazione' })).toHaveTextContent(HELP);
    expect(box()).toHaveFocus();
  });

  it('becomes a bubble with the next answer', async () => {
    await open();
    await help();
    await answer('Rossi');
    expect(pin()).toBeNull();
    expect(screen.getByRole('region', { name: 'Conversazione' })).toHaveTextContent(HELP);
  });

  it('stands there also when the answer is refused', async () => {
    await open();
    await answer('34');
    newsroom.next = { messages: [held(), { type: 'bot', text: 'Non va bene.' }] };
    await answer('Un avvocato');
    expect(pin()).not.toBeNull();
    expect(box()).toHaveValue('Un avvocato');
    expect(box()).toHaveAccessibleDescription(/Togli la parola/);
  });

  it('comes before the end, after a reload too', async () => {
    const first = await open();
    await answerAll();
    newsroom.next = { messages: [{ type: 'bot', text: 'Grazie!' }, held()] };
    await send('Ho paura');
    expect(screen.queryByText(CODE)).toBeNull();
    first.unmount();
    await open();
    fireEvent.click(screen.getByRole('button', { name: 'Ho letto' }));
    expect(screen.getByText(CODE)).toBeInTheDocument();
  });
});

describe('a field', () => {
  it('fits its question', async () => {
    await open();
    const fields = [];
    for (const text of ANSWERS) {
      const { tagName, type, inputMode, autocomplete } = box();
      fields.push([tagName, type, inputMode, autocomplete].join(' '));
      await answer(text);
    }
    expect(fields).toEqual([
      'INPUT text numeric off',
      'INPUT text  given-name',
      'INPUT text  family-name',
      'INPUT tel tel tel',
      'INPUT email email email',
      'INPUT text  street-address',
      'TEXTAREA textarea  off',
    ]);
  });

  it('that may be left out says so with a button', async () => {
    await open();
    expect(screen.queryByRole('button', { name: 'Non ce l’ho' })).toBeNull();
    newsroom.next = {
      state: 'collect_phone',
      question: { kind: 'tel', required: false, place: 4, places: 8 },
    };
    await answer('34');
    fireEvent.click(screen.getByRole('button', { name: 'Non ce l’ho' }));
    await pass(1000);
    expect(newsroom.turns().at(-1)?.text).toBe('Non ce l’ho');
    expect(box()).toHaveFocus();
  });

  it('has a button for each choice, and takes what was understood for the answer', async () => {
    await open();
    await answer('34');
    const options = ['Sì', 'No'].map((text) => ({ key: text, text }));
    newsroom.next = { question: { kind: 'text', required: true, options, place: 3, places: 8 } };
    await answer('Mi chiamo Maria');
    newsroom.next = { understood: [{ state: 'collect_surname', text: 'Rossi' }] };
    fireEvent.click(screen.getByRole('button', { name: 'Sì' }));
    await pass(1000);
    expect(newsroom.turns().at(-1)?.text).toBe('Sì');
    expect(screen.queryByRole('button', { name: 'Sì' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: /^Correggi.*cognome/ }));
    await pass(1000);
    expect(box()).toHaveValue('Rossi');
  });

  it('says what the newsroom offers to who cannot answer', async () => {
    await open();
    newsroom.next = { unable: 'Scrivi a redazione@example.it.' };
    await answer('non ce l’ho');
    expect(box()).toHaveAccessibleDescription(/^Non va bene\. Scrivi a/);
    expect(screen.getByRole('link', { name: 'redazione@example.it' })).toHaveAttribute(
      'href',
      'mailto:redazione@example.it',
    );
  });

  it('holds what was told too early', async () => {
    await open();
    newsroom.next = { prefill: 'Il racconto di prima.' };
    await answer('34');
    expect(box()).toHaveValue('Il racconto di prima.');
  });
});

describe('the end', () => {
  it('says what the newsroom promises, by the day where it is', async () => {
    vi.setSystemTime('2026-11-23T23:30:00Z');
    await open({ ...boot, timeZone: 'Europe/Rome', promises: { firstDays: 7, outcomeDays: 90 } });
    await answerAll();
    await send();
    const end = screen.getByRole('region', { name: 'Grazie!' });
    expect(end).toHaveTextContent(
      'La leggiamo entro martedì 1 dicembre. Ti diremo com’è andata entro lunedì 22 febbraio.',
    );
  });

  it('names help instead, before and after a reload', async () => {
    const given = { ...boot, promises: { firstDays: 7, outcomeDays: 90 } };
    const first = await open(given);
    await answerAll();
    newsroom.next = { helped: true };
    await send();
    const end = () => screen.getByRole('region', { name: 'Grazie!' }).textContent;
    const before = end();
    expect(before).toMatch(/^Se c’è un pericolo adesso, chiama il 112\..*Numeri di aiuto:/);
    expect(before).not.toContain('La leggiamo entro');
    first.unmount();
    await open(given);
    expect(end()).toBe(before);
  });

  it('promises nothing where the newsroom does not', async () => {
    await open({ ...boot, promises: { firstDays: 0, outcomeDays: 0 } });
    await answerAll();
    await send();
    expect(screen.queryByText(/entro/)).toBeNull();
  });
});

describe('a correction', () => {
  const correct = (name: RegExp) => fireEvent.click(screen.getByRole('button', { name }));

  it('puts the old answer into the box, and goes on with what was being written', async () => {
    await open();
    await answer('34');
    await answer('Maria');
    fireEvent.change(box(), { target: { value: 'Ros' } });
    correct(/^Correggi.*nome/);
    await pass(1000);
    expect(said('Di nuovo 2')).toBeInTheDocument();
    expect(box()).toHaveValue('Maria');
    expect(box()).toHaveFocus();
    await answer('Marta');
    expect(within(screen.getByRole('region')).getAllByText('Domanda 3')).toHaveLength(2);
    expect(box()).toHaveValue('Ros');
    // The answer that was replaced can no longer be corrected, the new one can.
    expect(screen.getAllByRole('button', { name: /^Correggi/ })).toHaveLength(2);
    expect(newsroom.turns().at(-1)).toEqual({ conversation: '1:1:2', text: 'Marta' });
  });

  it('begins in the review too, survives a fault and comes back there', async () => {
    await open();
    await answerAll();
    newsroom.fault = 500;
    correct(/^Correggi.*email/);
    await pass(1000);
    expect(screen.getByRole('alert')).toHaveTextContent('Si è verificato un errore. Riprova.');
    newsroom.fault = null;
    fireEvent.click(screen.getByRole('button', { name: 'Aggiungi qualcosa' }));
    fireEvent.change(box(), { target: { value: 'Ho anche' } });
    correct(/^Correggi.*email/);
    await pass(1000);
    expect(box()).toHaveValue('maria@example.it');
    expect(box()).toHaveFocus();
    await answer('rossi@example.it');
    expect(screen.getByRole('heading', { name: 'Controlla e invia' })).toHaveFocus();
    expect(box()).toHaveValue('Ho anche');
  });

  it('is the only one while it is open, and can be left', async () => {
    await open();
    await answer('34');
    await answer('Maria');
    fireEvent.change(box(), { target: { value: 'Ros' } });
    correct(/^Correggi.*nome/);
    await pass(1000);
    expect(screen.queryByRole('button', { name: /^Correggi/ })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Lascia com’è' }));
    await pass(1000);
    expect(box()).toHaveValue('Ros');
    expect(box()).toHaveFocus();
    expect(screen.queryByRole('button', { name: 'Lascia com’è' })).toBeNull();
    expect(screen.getAllByRole('button', { name: /^Correggi/ })).toHaveLength(2);
  });

  it('to a minor’s age leaves only the farewell', async () => {
    await open();
    await answer('34');
    await answer('Maria');
    correct(/^Correggi.*anni|^Correggi.*età/i);
    await pass(1000);
    await answer('15');
    expect(said('La chat termina qui.')).toBeInTheDocument();
    expect(screen.queryByText('Maria')).toBeNull();
  });
});

describe('the receipt', () => {
  it('is shown at the end and after a reload, in no address, and goes with a new report', async () => {
    const { unmount } = await open();
    await answerAll();
    await send();
    const code = () => screen.queryByText(CODE);
    await vi.waitFor(() => expect(code()).toBeInTheDocument());
    unmount();
    await open();
    await vi.waitFor(() => expect(code()).toBeInTheDocument());
    expect(document.body.innerHTML).not.toMatch(new RegExp(`(href|src)="[^"]*${CODE}`));
    fireEvent.click(screen.getAllByRole('button', { name: 'Nuova segnalazione' }).at(-1) as HTMLElement);
    expect(code()).toBeNull();
  });

  it('of a report that left later is shown then', async () => {
    await open();
    await answerAll();
    newsroom.fault = 'line';
    await send('', 5000);
    expect(screen.queryByText(CODE)).toBeNull();
    newsroom.fault = null;
    await pass(10_000);
    await vi.waitFor(() => expect(screen.getByText(CODE)).toBeInTheDocument());
  });
});

describe('ways out', () => {
  it('begins anew after one question', async () => {
    await open();
    await answer('34');
    const item = screen.getByRole('button', { name: 'Ricomincia' });
    expect(item).toHaveAttribute('popovertarget', 'restart');
    expect(screen.getByText(/^Le risposte date finora andranno perse\./)).toBeInTheDocument();
    fireEvent.click(screen.getByRole('button', { name: 'Sì, ricomincia' }));
    expect(within(screen.getByRole('region')).queryByText('Domanda 2')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Ricomincia' })).toBeNull();
  });

  it('asks nothing once the report has arrived, and waits while it is on its way', async () => {
    await open();
    await answerAll();
    await send('', 500);
    expect(screen.getByRole('button', { name: 'Ricomincia' })).toBeDisabled();
    await pass(500);
    fireEvent.click(screen.getByRole('button', { name: 'Nuova segnalazione' }));
    expect(box()).toBeInTheDocument();
  });

  it('leaves where the browser forbids storage', async () => {
    const replace = vi.spyOn(window.location, 'replace').mockImplementation(() => undefined);
    forbid('sessionStorage');
    forbid('localStorage');
    await open();
    fireEvent.click(screen.getByRole('link', { name: 'Esci in fretta' }));
    expect(replace).toHaveBeenCalledWith('https://meteo.example/');
  });

  it('leaves at once, with nothing left in this browser', async () => {
    const replace = vi.spyOn(window.location, 'replace').mockImplementation(() => undefined);
    window.localStorage.setItem('pelazzai_report_5', '{}');
    await open();
    await answer('34');
    fireEvent.click(screen.getByRole('link', { name: 'Esci in fretta' }));
    await pass(2000);
    expect(replace).toHaveBeenCalledWith('https://meteo.example/');
    expect([window.sessionStorage.length, window.localStorage.length]).toEqual([0, 0]);
    expect(screen.queryByText('34')).toBeNull();
    // Nor the cookie of a visit to a report.
    expect(newsroom.requests.some(({ path }) => path.endsWith('/receipts'))).toBe(true);
  });
});

describe('an account', () => {
  it('says how much is missing, has paragraphs under a finger, and names what stops it', async () => {
    vi.spyOn(window, 'matchMedia').mockImplementation(
      (query) => ({ matches: query === '(pointer: coarse)' }) as MediaQueryList,
    );
    await open();
    for (const text of ANSWERS.slice(0, 6)) {
      await answer(text);
    }
    await answer('Un avvocato.');
    expect(box()).toHaveValue('Un avvocato.');
    expect(newsroom.turns()).toHaveLength(6);
    expect(screen.getByText('12 di 70 caratteri, 2 di 10 parole')).toBeInTheDocument();
    fireEvent.click(screen.getByRole('button', { name: 'Avanti' }));
    await pass(1000);
    expect(box()).toHaveAccessibleDescription(/Togli la parola «avvocato»/);
  });
});

describe('an account that is too short', () => {
  const said = () => screen.getByRole('alert').textContent;
  const COUNTS = /Mancano|\bdi \d+ (caratteri|parole)/;

  async function tellShort(reply: Partial<ChatReply>) {
    await open();
    for (const text of ANSWERS.slice(0, 6)) {
      await answer(text);
    }
    newsroom.next = {
      state: 'investigative_questions',
      rule: 'too_short',
      messages: [{ type: 'bot', text: 'Raccontami di più.' }],
      ...reply,
    };
    await answer('Ho paura.', 0);
    fireEvent.click(screen.getByRole('button', { name: 'Avanti' }));
    await pass(1000);
  }

  it('is refused no more once it is long enough', async () => {
    await tellShort({ reason: 'Mancano 61 caratteri: chi, dove, quando?' });
    expect(said()).toBe('Raccontami di più.Mancano 61 caratteri: chi, dove, quando?');
    fireEvent.change(box(), { target: { value: 'Ho paura di' } });
    expect(said()).toBe('Raccontami di più.');
    expect(screen.getByText('11 di 70 caratteri, 3 di 10 parole')).toBeInTheDocument();
    fireEvent.change(box(), { target: { value: 'Una parola dopo l’altra. '.repeat(7) } });
    expect(said()).toBe('');
    expect(box()).toHaveAttribute('aria-invalid', 'false');
    expect(screen.getByText('174 caratteri, 28 parole')).toBeInTheDocument();
  });

  it('is not counted where it worried, nor later in that conversation', async () => {
    await tellShort({ helped: true });
    expect(said()).toBe('Raccontami di più.');
    expect(screen.getByRole('main')).not.toHaveTextContent(COUNTS);
    fireEvent.change(box(), { target: { value: 'Ho paura di' } });
    expect(screen.getByRole('main')).not.toHaveTextContent(COUNTS);
    fireEvent.change(box(), { target: { value: 'Una parola dopo l’altra. '.repeat(7) } });
    expect(said()).toBe('');
  });
});

describe('a reload', () => {
  it('resumes the conversation with transcript and text', async () => {
    const first = await open();
    await answer('34');
    fireEvent.change(box(), { target: { value: 'Mar' } });
    first.unmount();
    await open();
    expect(said('Domanda 2')).toBeInTheDocument();
    expect(box()).toHaveValue('Mar');
    expect(screen.getByRole('log')).toBeEmptyDOMElement();
    await answer('Maria');
    expect(newsroom.turns().at(-1)).toEqual({ conversation: '1:1', text: 'Maria' });
  });

  it('sends a turn again that was on its way', async () => {
    const first = await open();
    await answer('34');
    await answer('Maria', 10);
    first.unmount();
    await open();
    await pass(1000);
    expect(said('Domanda 3')).toBeInTheDocument();
    expect(newsroom.turns().slice(1)).toEqual(Array(2).fill({ conversation: '1:1', text: 'Maria' }));
  });
});

describe('a last turn that cannot be saved', () => {
  async function keepOne(fault: FakeNewsroom['fault']) {
    const view = await open();
    await answerAll();
    newsroom.fault = fault;
    newsroom.database = 'unavailable';
    await send('', 2500);
    await pass(2500);
    await vi.dynamicImportSettled();
    await pass(0);
    return view;
  }
  const keys = () => Object.keys({ ...window.localStorage });

  it.each(['line', 500, 503, 507] as const)('is kept in this browser and said so (%s)', async (fault) => {
    await keepOne(fault);
    expect(keys()).toEqual([expect.stringMatching(/^pelazzai_report_\d+$/)]);
    expect(screen.getByRole('heading', { name: 'Segnalazione non ancora inviata' })).toBeInTheDocument();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(newsroom.reports.size).toBe(0);
  });

  it('is kept too when the server no longer knows the conversation, with its text to copy', async () => {
    await keepOne(400);
    expect(keys()).toEqual([expect.stringMatching(/^pelazzai_report_\d+$/)]);
    newsroom.database = 'online';
    await pass(10_000);
    expect(screen.getByRole('heading', { name: 'Segnalazione non inviata' })).toBeInTheDocument();
    expect(screen.getByText(/^Motivo 400\. Il testo resta in questo browser/)).toBeInTheDocument();
    expect(screen.getByText('Il racconto.', { selector: 'details p' })).toBeInTheDocument();
    expect(keys()).toHaveLength(1);
  });

  it('leaves by itself when the newsroom is back, and the copy goes', async () => {
    await keepOne('line');
    newsroom.fault = null;
    newsroom.database = 'online';
    await pass(5000);
    expect([...newsroom.reports.values()]).toEqual(['no']);
    expect(keys()).toEqual([]);
    // Nothing is left of it but the code.
    const kept = Object.values(window.sessionStorage).join();
    expect([kept.includes(CODE), kept.includes('Maria')]).toEqual([true, false]);
    expect(screen.getByText('Conversazione completata. Grazie per la tua segnalazione.')).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Segnalazione inviata' })).toBeInTheDocument();
  });

  it('asks before it leaves without a file that is gone', async () => {
    (await keepOne('line')).unmount();
    window.sessionStorage.clear();
    const [key = ''] = keys();
    const kept = JSON.parse(window.localStorage.getItem(key) ?? '');
    window.localStorage.setItem(key, JSON.stringify({ ...kept, attachments: ['uno'] }));
    newsroom.fault = null;
    newsroom.database = 'online';
    newsroom.gone = ['prova.png'];
    await open();
    await pass(5000);
    expect(screen.getByRole('heading', { name: /^Un file non c’è più/ })).toBeInTheDocument();
    expect(
      screen.getByText(/^prova\.png non c’è più: allegalo di nuovo\. Puoi inviarla/),
    ).toBeInTheDocument();
    expect(newsroom.reports.size).toBe(0);
    fireEvent.click(screen.getByRole('button', { name: 'Invia con quello che resta' }));
    await pass(0);
    expect([...newsroom.reports.values()]).toEqual(['no']);
    expect(keys()).toEqual([]);
  });

  it('leaves later from another visit, the tab long closed', async () => {
    (await keepOne(503)).unmount();
    window.sessionStorage.clear();
    newsroom.fault = null;
    newsroom.database = 'online';
    await open();
    expect(box()).toBeInTheDocument();
    await pass(5000);
    expect(newsroom.reports.size).toBe(1);
    expect(keys()).toEqual([]);
  });

  it('stays, and is tried again with growing pauses, while the newsroom cannot save', async () => {
    await keepOne(507);
    newsroom.database = 'online';
    const before = newsroom.turns().length;
    await pass(30_000);
    const tries = newsroom.turns().length - before;
    expect(tries).toBeGreaterThanOrEqual(2);
    expect(tries).toBeLessThanOrEqual(5);
    expect(keys()).toHaveLength(1);
  });

  it('stays when its person begins anew', async () => {
    await keepOne('line');
    expect(screen.getByText(/^La segnalazione conservata resta e verrà inviata\./)).toBeInTheDocument();
    fireEvent.click(screen.getByRole('button', { name: 'Sì, ricomincia' }));
    expect(keys()).toHaveLength(1);
    expect(box()).toBeInTheDocument();
  });

  it('is not sent any more once its person deleted it', async () => {
    await keepOne('line');
    fireEvent.click(screen.getByRole('button', { name: 'Elimina da questo browser' }));
    fireEvent.click(screen.getByRole('button', { name: 'Elimina' }));
    expect(keys()).toEqual([]);
    newsroom.fault = null;
    newsroom.database = 'online';
    await pass(10_000);
    expect(newsroom.reports.size).toBe(0);
    expect(screen.getByText(/^Conversazione terminata/)).toBeInTheDocument();
  });

  it('is not sent by this tab once another tab deleted it', async () => {
    await keepOne('line');
    window.localStorage.clear();
    newsroom.fault = null;
    newsroom.database = 'online';
    await pass(10_000);
    expect(newsroom.reports.size).toBe(0);
    expect(screen.getByText(/^Conversazione terminata/)).toBeInTheDocument();
  });

  it('opens the question again when the answer is refused after all', async () => {
    await open();
    await answerAll();
    newsroom.fault = 500;
    await send('Ne ho parlato con un avvocato', 0);
    await pass(2500);
    await vi.dynamicImportSettled();
    newsroom.fault = null;
    await pass(10_000);
    expect(box()).toHaveValue('Ne ho parlato con un avvocato');
    expect(keys()).toEqual([]);
    fireEvent.change(box(), { target: { value: ' ' } });
    await send();
    expect([...newsroom.reports.values()]).toEqual(['no']);
  });
});

describe('the badge', () => {
  it('follows the status every two seconds, and asks nothing while hidden', async () => {
    await open();
    expect(screen.getByText('Online')).toBeInTheDocument();
    newsroom.database = 'demo';
    await pass(2000);
    expect(screen.getByText('Demo')).toBeInTheDocument();
    expect(screen.getByText(/^Modalità demo/)).toBeInTheDocument();
    newsroom.fault = 'line';
    await pass(2000);
    expect(screen.getByText('Offline')).toBeInTheDocument();
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    document.dispatchEvent(new Event('visibilitychange'));
    const asked = newsroom.requests.length;
    await pass(20_000);
    expect(newsroom.requests).toHaveLength(asked);
    newsroom.fault = null;
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await pass(0);
    expect(screen.getByText('Demo')).toBeInTheDocument();
    expect(newsroom.requests.at(-1)?.headers.get('x-background')).toBe('1');
  });
});

describe('the prerendered shell', () => {
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

  function shellFor(given: Boot): HTMLElement {
    const root = document.createElement('div');
    root.innerHTML = renderShell()
      .replaceAll('__PRODUCT_NAME__', escaped(given.branding.productName))
      .replaceAll('__QUICK_EXIT__', escaped(given.quickExitUrl ?? ''))
      .replaceAll('__ORGANIZATION__', escaped(given.branding.organizationName))
      .replaceAll('__ICON__', `${import.meta.env.BASE_URL}logo/icon.svg`)
      .replaceAll('__FILES__', String(given.attachments?.perReport ?? 0))
      .replaceAll('__RECEIPTS__', String(given.receipts))
      .replaceAll('__DEMO_NOTICE__', escaped(given.demoNotice ?? ''))
      .replaceAll('__CALLOUT_SLUG__', escaped(given.callout?.slug ?? ''))
      .replaceAll('__CALLOUT_TITLE__', escaped(given.callout?.title ?? ''))
      .replaceAll('__CALLOUT_INTRO__', escaped(given.callout?.intro ?? ''))
      .replaceAll('__CALLOUT_CLOSED__', escaped(given.callout?.closedText ?? ''))
      .replaceAll('__DATABASE__', given.status.database)
      .replaceAll('__PRIVACY_TEXT__', escaped(given.privacy.text))
      .replaceAll('__PRIVACY_URL__', escaped(given.privacy.url ?? ''));
    document.body.replaceChildren(root);
    return root;
  }

  async function hydrate(root: HTMLElement, given: Boot) {
    const complaints: unknown[] = [];
    vi.spyOn(console, 'error').mockImplementation((...words) => complaints.push(words));
    const live = await act(() =>
      hydrateRoot(root, <Page boot={given} />, { onRecoverableError: (error) => complaints.push(error) }),
    );
    await pass(0);
    return { complaints, live };
  }

  it.each([
    ['with markup in the texts', boot],
    [
      'without files, codes, address and text',
      { ...boot, attachments: null, receipts: false, privacy: { text: '', url: null, version: 'v1' } },
    ],
    ['of a callout', { ...boot, callout }],
    ['of a callout that is over', { ...boot, callout: { ...callout, closedText: 'È finita.' } }],
  ])('equals the first render %s', async (_, given) => {
    const { complaints, live } = await hydrate(shellFor(given), given);
    expect(complaints).toEqual([]);
    act(() => live.unmount());
  });

  it('would be told apart if it did not', async () => {
    const { complaints, live } = await hydrate(shellFor({ ...boot, receipts: false }), boot);
    expect(complaints).not.toEqual([]);
    act(() => live.unmount());
  });

  it('begins where that was asked for before the script came', async () => {
    const root = shellFor(boot);
    const soon = root.querySelector('#soon') as HTMLElement;
    expect(screen.getByRole('button', { name: /^Inizia circa/ })).toHaveAttribute('popovertarget', soon.id);
    // The browser does this by itself.
    vi.spyOn(soon, 'matches').mockImplementation((selector) => selector === ':popover-open');
    const { live } = await hydrate(root, boot);
    expect(box()).toHaveFocus();
    act(() => live.unmount());
  });
});
