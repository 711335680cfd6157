import { fireEvent, render, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatReply } from '../shared/api/schema';
import type { Boot, BootCallout } from '../shared/lib/boot';
import { keptReports } from '../shared/lib/kept-reports';
import { Page } from './page';
import { FakeNewsroom, type OwnQuestion } from './testing/fake-newsroom';
import { answer, box, pass, boot as usual, open as visit } from './testing/visit';

const callout: BootCallout = {
  slug: 'posti-letto',
  title: 'Avete pagato per un posto letto?',
  intro: 'Raccontatelo.',
  closedText: null,
};
const boot: Boot = { ...usual, callout };
const open = (given = boot) => visit(given);

const option = (text: string) => ({ key: text.toLowerCase(), text });
const QUESTIONS: readonly OwnQuestion[] = [
  {
    key: 'dove',
    kind: 'choice',
    text: 'Dove è successo?',
    required: true,
    options: ['Milano', 'Altrove'].map(option),
  },
  {
    key: 'chi',
    kind: 'choices',
    text: 'Chi lo sa?',
    required: true,
    options: ['Amici', 'Vicini, o chi passa', 'Nessuno'].map(option),
  },
  { key: 'quanto', kind: 'number', text: 'Quanto hai pagato?', required: false },
  { key: 'quando', kind: 'date', text: 'Quando?', required: true },
  { key: 'come', kind: 'text', text: 'Come?', required: true, max: 20 },
];

let newsroom: FakeNewsroom;

const button = (name: string | RegExp) => screen.getByRole('button', { name });

async function press(name: string | RegExp) {
  fireEvent.click(button(name));
  await pass(1000);
}

/** Up to the review. */
async function answerAll() {
  await answer('34');
  await press('Milano');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Amici' }));
  await press('Avanti');
  await press('Salta');
  await answer('marzo 2026');
  await answer('Di sera.');
}

/** The part of a reply after which the conversation stands at this state. */
const at = (state: string) => ({ state, question: questionOf(state) }) as Partial<ChatReply>;
const questionOf = (state: string) => {
  const own = QUESTIONS.find(({ key }) => state.endsWith(key));
  return own && { ...own, place: 2, places: 7 };
};

const texts = () => newsroom.turns().map(({ text }) => text);

beforeEach(() => {
  vi.useFakeTimers();
  newsroom = new FakeNewsroom().install();
  newsroom.own = QUESTIONS;
});

describe('the page of a callout', () => {
  it('says what it is about before the first question', async () => {
    render(<Page boot={boot} />);
    expect(screen.getByText(callout.title)).toBeInTheDocument();
    expect(screen.getByText(callout.intro)).toBeInTheDocument();
    await pass(0);
  });

  it('begins its own conversation, and goes through every kind of question to one report', async () => {
    await open();
    await answerAll();
    expect(newsroom.requests.find(({ path }) => path === '/chat')?.body).toEqual({ callout: 'posti-letto' });
    expect(texts()).toEqual(['34', 'Milano', 'Amici', 'Salta', 'marzo 2026', 'Di sera.']);
    const lines = within(screen.getByRole('region', { name: 'Controlla e invia' }));
    expect(lines.getAllByRole('term').map(({ textContent }) => textContent)).toEqual(
      QUESTIONS.map(({ text }) => text),
    );
    await press('Invia la segnalazione');
    expect([...newsroom.reports.values()]).toEqual(['no']);
    expect(screen.getAllByText('Grazie!')[0]).toBeInTheDocument();
  });

  it('counts its questions, and says how many come as soon as that is known', async () => {
    await open();
    expect(screen.getByText('Domanda 1')).toBeInTheDocument();
    expect(screen.queryByRole('progressbar')).toBeNull();
    await answer('34');
    expect(screen.getByText('Domanda 2 di 7')).toBeInTheDocument();
    expect(screen.getByRole('progressbar')).toHaveAttribute('max', '7');
  });

  it('has the focus where the answers are, names the question there, and says them', async () => {
    await open();
    await answer('34');
    const group = screen.getByRole('group', { name: /Dove è successo\?$/ });
    expect(group).toHaveFocus();
    expect(within(group).getAllByRole('button')).toHaveLength(2);
    expect(screen.getByRole('log')).toHaveTextContent('Risposte: Milano; Altrove.');
    await press('Milano');
    expect(screen.getByRole('group', { name: /Chi lo sa\?$/ })).toHaveFocus();
  });

  it('takes a choice in words too', async () => {
    await open();
    await answer('34');
    expect(screen.queryByRole('textbox')).toBeNull();
    await press('Scrivi tu');
    expect(box()).toHaveAccessibleName('Oppure scrivi');
    expect(box()).toHaveFocus();
    await answer('altrove');
    expect(texts()).toEqual(['34', 'altrove']);
  });

  it('sends what is ticked, one a line, and ticks it again where it is refused or corrected', async () => {
    await open();
    await answer('34');
    await press('Milano');
    expect(button('Avanti')).toBeDisabled();
    for (const name of ['Nessuno', 'Vicini, o chi passa', 'Amici', 'Nessuno']) {
      fireEvent.click(screen.getByRole('checkbox', { name }));
    }
    newsroom.next = { rule: 'invalid', reason: 'Una sola.', ...at('question:chi') };
    await press('Avanti');
    expect(texts().at(-1)).toBe('Amici\nVicini, o chi passa');
    expect(screen.getByRole('alert')).toHaveTextContent('Una sola.');
    const ticked = () => screen.getAllByRole<HTMLInputElement>('checkbox').map(({ checked }) => checked);
    expect(ticked()).toEqual([true, true, false]);
  });

  it('fits its fields: a number, a day in words, a text with what is left of it', async () => {
    await open();
    await answer('34');
    await press('Milano');
    fireEvent.click(screen.getByRole('checkbox', { name: 'Amici' }));
    await press('Avanti');
    expect(box()).toHaveAttribute('inputmode', 'decimal');
    await answer('1.250,50');
    expect(box()).toBe(screen.getByLabelText(/^La data, anche approssimata/));
    expect(screen.queryByRole('button', { name: 'Salta' })).toBeNull();
    await answer('a marzo, forse');
    fireEvent.change(box(), { target: { value: 'Di sera' } });
    expect(screen.queryByText(/di 20 caratteri/)).toBeNull();
    fireEvent.change(box(), { target: { value: 'Di sera, in contanti' } });
    expect(screen.getByText('20 di 20 caratteri')).toBeInTheDocument();
  });

  it('corrects an answer of its own by the name of its question', async () => {
    await open();
    await answerAll();
    await press(/^Correggi.*Chi lo sa/);
    expect(screen.getByRole('checkbox', { name: 'Amici' })).toBeChecked();
    expect(newsroom.requests.at(-1)?.body.state).toBe('question:chi');
    fireEvent.click(screen.getByRole('checkbox', { name: 'Nessuno' }));
    await press('Avanti');
    expect(screen.getByRole('heading', { name: 'Controlla e invia' })).toHaveFocus();
  });

  it('offers no correction of what a new way may have left behind', async () => {
    await open();
    await answer('34');
    await press('Milano');
    await press(/^Correggi.*Dove/);
    newsroom.next = at('question:quando');
    await press('Altrove');
    expect(
      screen.getAllByRole('button', { name: /^Correggi/ }).map(({ textContent }) => textContent),
    ).toEqual(['Correggi: La tua età', expect.stringMatching(/^Correggi: /)]);
  });
});

describe('what a browser keeps of a callout', () => {
  it('goes on after a reload there, and nowhere else', async () => {
    const first = await open();
    await answer('34');
    first.unmount();
    const other = await open({ ...usual, callout: { ...callout, slug: 'altra' } });
    expect(screen.getByText('Domanda 1')).toBeInTheDocument();
    other.unmount();
    const general = await open(usual);
    expect(screen.getByText('Domanda 1 di 8')).toBeInTheDocument();
    general.unmount();
    await open();
    expect(screen.getByText('Domanda 2 di 7')).toBeInTheDocument();
    expect(button('Milano')).toBeInTheDocument();
  });

  it('holds every answer of a report that could not leave, which leaves from another page', async () => {
    const first = await open();
    await answerAll();
    newsroom.fault = 'line';
    newsroom.database = 'unavailable';
    await press('Invia la segnalazione');
    await pass(2500);
    const [kept] = keptReports();
    expect(kept?.report.callout).toBe('posti-letto');
    expect(kept?.report.report).toContain('Dove è successo?\nMilano');
    first.unmount();
    newsroom.fault = null;
    newsroom.database = 'online';
    await open(usual);
    await pass(5000);
    expect(newsroom.reports.size).toBe(1);
    expect(keptReports()).toEqual([]);
  });

  it('is taken up again only on its own page', async () => {
    const first = await open();
    await answerAll();
    newsroom.fault = 'line';
    newsroom.database = 'unavailable';
    await press('Invia la segnalazione');
    await pass(2500);
    first.unmount();
    newsroom.fault = null;
    newsroom.database = 'online';
    newsroom.next = { rule: 'forbidden', finished: false };
    await open(usual);
    await pass(5000);
    expect(screen.getByRole('link', { name: 'Riprendi la conversazione' })).toHaveAttribute(
      'href',
      `${import.meta.env.BASE_URL}i/posti-letto`,
    );
    expect(screen.queryByRole('button', { name: 'Riprendi la conversazione' })).toBeNull();
  });
});

describe('a callout that is over', () => {
  it('says so, with the way to the usual chat and none to begin', async () => {
    render(<Page boot={{ ...boot, callout: { ...callout, closedText: 'È finita.' } }} />);
    await pass(0);
    expect(screen.getByText('È finita.')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Vai alla chat della redazione' })).toHaveAttribute(
      'href',
      import.meta.env.BASE_URL,
    );
  });

  it('says so where it ended while its page was open', async () => {
    newsroom.own = null;
    await open();
    await answer('34');
    expect(screen.getByText('Motivo 409.')).toHaveFocus();
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  it('lets a conversation end that is under way', async () => {
    const first = await open();
    await answer('34');
    first.unmount();
    await open({ ...boot, callout: { ...callout, closedText: 'È finita.' } });
    await press('Milano');
    expect(screen.getByText('Domanda 3 di 7')).toBeInTheDocument();
  });
});
