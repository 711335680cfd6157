import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import openapi from '../../../openapi.json';
import type { ChatReply, Phrases } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, press } from '../testing/panel-page';
import { sampleSecurity } from '../testing/sample-settings';
import { PromptsPage } from './prompts-page';
import { mainPhrase, SECTIONS } from './sections';

/** The configuration as it is delivered, from the server's own contract. */
function defaults(): Phrases {
  const { properties } = openapi.components.schemas.Phrases;
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, schema.default]),
  ) as unknown as Phrases;
}

let phrases: Phrases;
let refusal: ((request: Request) => Response) | null;
let reply: ChatReply;

function answer(request: Request): Response {
  const { method, path, body } = request;
  if (refusal && method !== 'GET') {
    return refusal(request);
  }
  if (path === '/settings/security') {
    return Response.json(sampleSecurity({ minReportLength: 120 }));
  }
  if (path === '/prompts/try') {
    return Response.json(reply);
  }
  if (method === 'PUT') {
    for (const [group, changes] of Object.entries(body as Record<keyof Phrases, string | object>)) {
      const before = phrases[group as keyof Phrases];
      const after = typeof before === 'string' ? changes : { ...before, ...(changes as object) };
      phrases = { ...phrases, [group]: after };
    }
  } else if (method === 'DELETE') {
    phrases = defaults();
  }
  return Response.json(phrases);
}

beforeEach(() => {
  phrases = defaults();
  refusal = null;
  reply = {
    conversation: 'uno',
    state: 'age_check',
    messages: [{ type: 'bot', text: 'Quanti anni hai?' }],
    finished: false,
    rule: 'started',
  };
});

const open = (address = '/') => openPage(<PromptsPage />, answer, { address });
const box = (label: string) => screen.getByLabelText(label);
const type = (label: string, value: string) => fireEvent.change(box(label), { target: { value } });
const preview = () => within(screen.getByRole('region', { name: 'Anteprima della chat' }));
const choose = (section: string) =>
  fireEvent.click(within(screen.getByRole('navigation')).getByText(section));

describe('the sections', () => {
  it('name every text of the configuration once', () => {
    const named = SECTIONS.flatMap((section) => section.phrases.map((phrase) => phrase.key));
    const known = Object.entries(defaults()).flatMap(([group, texts]) =>
      typeof texts === 'string' ? [group] : Object.keys(texts).map((entry) => `${group}.${entry}`),
    );
    expect([...named].sort()).toEqual(known.sort());
    expect(SECTIONS.map((section) => section.label)).toEqual([
      'Messaggio Iniziale',
      'Controllo Età',
      'Raccolta Nome',
      'Raccolta Cognome',
      'Raccolta Telefono',
      'Raccolta Email',
      'Raccolta Indirizzo',
      'Domande Investigative',
      'Finalizzazione',
      'Aiuto',
      'Domande di chi scrive',
    ]);
  });

  it('show the question, else the step on, else the first text', () => {
    expect(SECTIONS.map((section) => mainPhrase(section).key)).toEqual([
      'welcome',
      'ageCheck.prompt',
      'collectName.prompt',
      'collectSurname.prompt',
      'collectPhone.prompt',
      'collectEmail.prompt',
      'collectAddress.prompt',
      'investigativeQuestions.prompt',
      'collectReport.prompt',
      'care.help',
      'guide.explain',
    ]);
  });
});

describe('the phrases page', () => {
  it('shows the text being worked on with its placeholders filled in', async () => {
    await open('/?sezione=investigativeQuestions');
    expect(preview().getByText(/^Adesso raccontami/)).toBeInTheDocument();
    fireEvent.focus(box('Testo troppo breve'));
    type('Testo troppo breve', '{name} di {org}: {minChars} e {minWords}.');
    expect(preview().getByText('Prova di Redazione: 120 e 10.')).toBeInTheDocument();
    choose('Raccolta Nome');
    expect(preview().getByText('Come ti chiami? Scrivi solo il nome.')).toBeInTheDocument();
  });

  it('puts a placeholder where the cursor is', async () => {
    await open();
    type('Messaggio iniziale', 'Ciao, sono .');
    const area = box('Messaggio iniziale') as HTMLTextAreaElement;
    area.setSelectionRange(11, 11);
    await press('Inserisci {name}');
    expect(area).toHaveValue('Ciao, sono {name}.');
    expect(area).toHaveFocus();
  });

  it('saves only the texts that were changed, of all sections at once', async () => {
    const page = await open();
    type('Messaggio iniziale', 'Ciao! Quanti anni hai?');
    choose('Raccolta Nome');
    type('Messaggio di passaggio', 'Piacere.');
    await press('Salva Modifiche');
    expect(page.changes()).toEqual([
      {
        method: 'PUT',
        path: '/prompts',
        body: { welcome: 'Ciao! Quanti anni hai?', collectName: { next: 'Piacere.' } },
      },
    ]);
    expect(screen.getByText('Configurazione salvata con successo!')).toBeInTheDocument();
    expect(screen.queryByText('Modifiche non salvate')).toBeNull();
  });

  it('leads to the section of a text that the server refuses', async () => {
    await open();
    type('Messaggio iniziale', 'Ciao! Quanti anni hai?');
    refusal = () =>
      problem(422, 'dati-non-validi', { errors: { 'collectEmail.next': 'Il testo contiene caratteri.' } });
    await press('Salva Modifiche');
    expect(screen.getByRole('alert')).toHaveTextContent('Errore nel salvataggio della configurazione');
    expect(box('Messaggio di passaggio')).toHaveFocus();
    expect(box('Messaggio di passaggio')).toHaveAccessibleDescription(/Il testo contiene caratteri\./);
    expect(screen.getByRole('heading', { level: 2, name: 'Raccolta Email' })).toBeInTheDocument();
  });

  it('puts everything back once asked, unsaved changes too', async () => {
    phrases = { ...phrases, welcome: 'Un altro benvenuto.' };
    const page = await open();
    type('Messaggio iniziale', 'A metà');
    await press('Reset Default');
    const dialog = screen.getByRole('dialog');
    expect(dialog).toHaveTextContent(
      'Sei sicuro di voler ripristinare tutti i prompt ai valori predefiniti?',
    );
    await press('Ripristina tutto');
    expect(page.changes()).toMatchObject([{ method: 'DELETE', path: '/prompts' }]);
    expect(box('Messaggio iniziale')).toHaveValue(defaults().welcome);
    expect(screen.getByText('Configurazione ripristinata ai valori predefiniti')).toBeInTheDocument();
  });

  it('runs through the conversation with the phrases as they are typed, and stores nothing', async () => {
    const page = await open();
    type('Messaggio iniziale', 'Quanti anni hai?');
    await press('Prova la chat');
    const log = within(screen.getByRole('log', { name: 'Conversazione di prova' }));
    expect(log.getByText('Quanti anni hai?')).toBeInTheDocument();
    reply = {
      conversation: '',
      state: 'age_check',
      messages: [{ type: 'bot', text: 'La chat termina qui.' }],
      finished: true,
      rule: 'minor',
    };
    type('Età', '17');
    await press('Invia');
    expect(log.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'Prova: Quanti anni hai?',
      'Tu: 17',
      'Prova: La chat termina qui.',
    ]);
    expect(screen.getByText(/nessuna segnalazione è stata creata/)).toBeInTheDocument();
    const [first, second] = page.changes();
    expect(first).toMatchObject({ path: '/prompts/try', body: { prompts: { welcome: 'Quanti anni hai?' } } });
    expect(first?.body).not.toHaveProperty('conversation');
    expect(second).toMatchObject({ path: '/prompts/try', body: { conversation: 'uno', text: '17' } });
    expect(page.changes().some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('leads from the run-through to the phrases that keep it from beginning', async () => {
    await open();
    refusal = () =>
      problem(422, 'dati-non-validi', { errors: { 'collectName.prompt': 'Segnaposto sconosciuto: {x}.' } });
    await press('Prova la chat');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(box('Domanda principale')).toHaveFocus();
    expect(box('Domanda principale')).toHaveAccessibleDescription(/Segnaposto sconosciuto: \{x\}\./);
    expect(within(screen.getByRole('navigation')).getByText('(da correggere)')).toBeInTheDocument();
  });

  it('says why the run-through has stopped', async () => {
    await open();
    refusal = () => problem(500, 'errore-interno');
    await press('Prova la chat');
    expect(within(screen.getByRole('dialog')).getByRole('alert')).toHaveTextContent(
      'La prova si è interrotta',
    );
  });
});
