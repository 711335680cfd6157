import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReportDetail, ReportPatch } from '../../shared/api/schema';
import { lineDown, problem, type Request } from '../../shared/testing/server';
import type { Trail } from '../common/paths';
import { ChangesProvider } from '../desk/changes';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { openPage, pass } from '../testing/panel-page';
import { sampleReport } from '../testing/samples';
import { ReportPage } from './report-page';

/** The report on the server: saves are checked against its version. */
class Server {
  report: ReportDetail | null = sampleReport();
  sent: Request[] = [];
  failure: number | null = null;
  /** Saves, but the answer is lost on the way. */
  losesAnswers = false;
  /** Milliseconds after which that is noticed. */
  holds = 0;
  /** The report cannot be read. */
  down = false;
  /** Milliseconds that reading the report takes. */
  slow = 0;

  answer = async (request: Request): Promise<Response> => {
    const { method, path, headers } = request;
    if (path.endsWith('/messages')) {
      return Response.json({ data: [], receipt: false, unread: false });
    }
    if (/\/(comments|colleagues|presence)(\?|$)/.test(path)) {
      return Response.json({ data: [] });
    }
    if (/\/(reports|sieges|labels|related|desk|stories)(\?|$)/.test(path)) {
      return problem(503, 'occupato');
    }
    this.sent.push(request);
    if (!this.report) {
      return problem(404, 'non-trovato');
    }
    if (method === 'GET' && this.down) {
      return lineDown();
    }
    if (method === 'GET' && this.slow > 0) {
      await new Promise((later) => setTimeout(later, this.slow));
    }
    if (method === 'PATCH') {
      if (this.failure) {
        return problem(this.failure, 'spazio-esaurito');
      }
      if (headers.get('if-match') !== `"${this.report.versione}"`) {
        return problem(412, 'versione-superata', { current: this.report });
      }
      const { urgente: urgenteOra, ...rest } = request.body as ReportPatch;
      this.save({ ...rest, ...(urgenteOra === undefined ? {} : { urgenteOra }) } as Partial<ReportDetail>);
      if (this.losesAnswers) {
        await new Promise((later) => setTimeout(later, this.holds));
        return lineDown();
      }
    }
    return Response.json(this.report);
  };

  save(changes: Partial<ReportDetail>): void {
    const report = this.report ?? sampleReport();
    this.report = { ...report, ...changes, versione: report.versione + 1 };
  }

  patches(): Request[] {
    return this.sent.filter((request) => request.method === 'PATCH');
  }
}

vi.mock('../pdf/make-record', () => ({ makeRecord: () => new Promise(() => undefined) }));

let server: Server;

beforeEach(() => {
  server = new Server();
});

async function open(state?: Trail) {
  const page = (
    <KeyboardProvider>
      <ChangesProvider open={server.report?.id}>
        <ReportPage />
      </ChangesProvider>
    </KeyboardProvider>
  );
  const address = `/admin/reports/${server.report?.id ?? 'manca'}`;
  return openPage(page, server.answer, { address, state, path: '/admin/reports/:id' });
}

const notes = () => screen.getByLabelText('Note Interne');
const write = (text: string) => fireEvent.change(notes(), { target: { value: text } });
const save = async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
  await pass(0);
};

describe('the report page', () => {
  it('says what the wording suggests, as a hint, and nothing where it suggests nothing', async () => {
    server.report = sampleReport({ urgente: 'self_harm', urgenteOra: true });
    const { close } = await open();
    expect(screen.getByText('Forse: Intento di farsi del male')).toBeInTheDocument();
    expect(screen.getByText(/può sbagliare/)).toBeInTheDocument();
    close();
    server.report = sampleReport();
    await open();
    expect(screen.queryByText(/^Forse:/)).toBeNull();
  });

  it('takes no command from what is typed after `w` where no message can be read', async () => {
    await open();
    fireEvent.keyDown(document.body, { key: 'w' });
    const box = screen.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' });
    expect(box).toHaveFocus();
    expect(box).toHaveAttribute('readonly');
    expect(box).toHaveValue(
      'Questa segnalazione non ha una ricevuta: chi l’ha inviata non può leggere messaggi.',
    );
    for (const key of 'Salve d1') {
      fireEvent.keyDown(box, { key });
    }
    await pass(0);
    expect(server.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(box).not.toHaveFocus();
  });

  const urgent = () => screen.getByRole('button', { name: /^(Non è|È) urgente$/ });
  const stato = () => screen.getByRole('combobox', { name: 'Stato' });
  const choose = async (name: string) => {
    fireEvent.change(stato(), { target: { value: name } });
    await pass(0);
  };
  const press = async (button: HTMLElement) => {
    button.focus();
    fireEvent.click(button);
    await pass(0);
  };
  const sent = () => server.patches().map(({ body, headers }) => [body, headers.get('if-match')]);

  it('takes a false alarm back, keeps in sight what was read, and puts it up again', async () => {
    server.report = sampleReport({ urgente: 'threat', urgenteOra: true });
    await open();
    await press(urgent());
    expect(sent()).toEqual([[{ urgente: false }, '"1"']]);
    expect(screen.queryByText('Forse: Minaccia ad altri')).toBeNull();
    expect(screen.getByText('Giudicata non urgente dalla redazione')).toBeInTheDocument();
    expect(screen.getByText(/parole del racconto: minaccia ad altri/)).toBeInTheDocument();
    expect(screen.getByText(/^Non più urgente: /).closest('[role=status]')).not.toBeNull();
    expect(urgent()).toHaveFocus();
    await press(urgent());
    expect(screen.getByText('Forse: Minaccia ad altri')).toBeInTheDocument();
    expect(server.patches()).toHaveLength(2);
  });

  it('saves a status as it is chosen, takes it back, and leaves what is typed alone', async () => {
    await open();
    write('ancora da salvare');
    await choose('Risolta');
    expect(screen.getByText(/^Risolta: /)).toBeInTheDocument();
    expect(stato()).toHaveValue('Risolta');
    await press(screen.getByRole('button', { name: 'Annulla' }));
    expect(screen.getByText(/^Annullato. Nuova: /)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Annulla' })).toBeNull();
    expect(notes()).toHaveValue('ancora da salvare');
    await save();
    expect(sent()).toEqual([
      [{ stato: 'Risolta' }, '"1"'],
      [{ stato: 'Nuova' }, '"2"'],
      [{ note: 'ancora da salvare' }, '"3"'],
    ]);
  });

  it('sends choices one after the other, each over the one before', async () => {
    await open();
    fireEvent.change(stato(), { target: { value: 'Risolta' } });
    fireEvent.change(stato(), { target: { value: 'Archiviata' } });
    expect(stato()).toHaveValue('Archiviata');
    await pass(0);
    expect(sent()).toEqual([
      [{ stato: 'Risolta' }, '"1"'],
      [{ stato: 'Archiviata' }, '"2"'],
    ]);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('saves a note in turn with a status, on the version that this left', async () => {
    await open();
    write('la mia nota');
    fireEvent.keyDown(document.body, { key: '3' });
    await save();
    expect(sent()).toEqual([
      [{ stato: 'Risolta' }, '"1"'],
      [{ note: 'la mia nota' }, '"2"'],
    ]);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(notes()).toHaveValue('la mia nota');
  });

  it('decides on what somebody else saved meanwhile, once, and not what they decided already', async () => {
    await open();
    server.save({ note: 'di un’altra' });
    await choose('Risolta');
    expect(sent().map(([, version]) => version)).toEqual(['"1"', '"2"']);
    expect(notes()).toHaveValue('di un’altra');
    server.save({ stato: 'Archiviata' });
    await choose('Archiviata');
    expect(server.patches()).toHaveLength(3);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(server.report?.versione).toBe(4);
  });

  it('shows both statuses where somebody else chose otherwise, and lets one decide', async () => {
    await open();
    server.save({ stato: 'Archiviata' });
    await choose('Risolta');
    const panel = screen.getByRole('region', { name: /ha salvato prima di te/ });
    expect(panel).toHaveFocus();
    expect(panel).toHaveTextContent(/Versione salvata.*Archiviata.*Le tue modifiche.*Risolta/);
    expect(server.report?.stato).toBe('Archiviata');
    await press(within(panel).getByRole('button', { name: 'Mantieni le mie modifiche' }));
    expect(server.report?.stato).toBe('Risolta');
    expect(screen.queryByRole('region', { name: /ha salvato prima di te/ })).toBeNull();
  });

  it('says why a choice was not saved, and shows what is', async () => {
    server.failure = 507;
    await open();
    await choose('Risolta');
    expect(within(screen.getByRole('alert')).getByText('Modifica non salvata')).toBeInTheDocument();
    expect(stato()).toHaveValue('Nuova');
    server.failure = null;
    await choose('Risolta');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(stato()).toHaveValue('Risolta');
  });

  it('learns that a choice was saved whose answer was lost', async () => {
    await open();
    server.losesAnswers = true;
    await choose('Risolta');
    await pass(0);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByText(/^Risolta: /)).toBeInTheDocument();
    expect(server.patches()).toHaveLength(1);
  });

  it('counts the words of the person alone', async () => {
    server.report = sampleReport({ segnalazione: 'Un fatto.\n\nINFORMAZIONI AGGIUNTIVE\nAltre due parole.' });
    await open();
    expect(screen.getByText('27 caratteri, 5 parole')).toBeInTheDocument();
  });

  it('shows the person, the text with its counts, and the date in Rome', async () => {
    await open();
    expect(screen.getByRole('link', { name: '3123456789' })).toHaveAttribute('href', 'tel:3123456789');
    expect(screen.getByRole('link', { name: 'maria.rossi@esempio.it' })).toHaveAttribute(
      'href',
      'mailto:maria.rossi@esempio.it',
    );
    expect(screen.getByText('27 caratteri, 5 parole')).toBeInTheDocument();
    expect(screen.getByText('Ricevuta il 20/11/2026 23:30')).toBeInTheDocument();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Maria Rossi');
    expect(screen.getByText('41 anni, Milano')).toBeInTheDocument();
    expect(document.title).toBe(`Segnalazione #${server.report?.id} · Prova · Redazione`);
  });

  it('has the answers to a callout, who gave no name, and no account where none was asked for', async () => {
    const inchiesta = { id: 'c1', slug: 'letto', title: 'Posti letto', version: 1 };
    const answer = {
      key: 'd1',
      kind: 'text' as const,
      question: 'Dove?',
      text: 'A Milano',
      value: 'A Milano',
    };
    const none = { nome: '', cognome: '', segnalazione: '' };
    server.report = sampleReport({ ...none, inchiesta, risposte: [answer] });
    await open();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Anonimo 0b54a6c2');
    const told = screen.getByRole('region', { name: 'Inchiesta' });
    expect(within(told).getByRole('link', { name: 'Posti letto' })).toHaveAttribute(
      'href',
      '/admin/callouts/c1/answers',
    );
    expect(within(told).getByRole('term')).toHaveTextContent('Dove?');
    expect(within(told).getByRole('definition')).toHaveTextContent('A Milano');
    expect(screen.queryByRole('region', { name: 'Testo della Segnalazione' })).toBeNull();
  });

  it('says that a field was not given, and links to nothing', async () => {
    server.report = sampleReport({ telefono: '', email: '', indirizzo: '', eta: 0 });
    await open();
    expect(screen.getAllByText('—')).toHaveLength(4);
    expect(document.querySelector('a[href="tel:"], a[href="mailto:"]')).toBeNull();
  });

  it('leads back to the list it was opened from', async () => {
    await open({ list: '?stato=Nuova' });
    expect(screen.getByRole('link', { name: 'Torna alla lista' })).toHaveAttribute(
      'href',
      '/admin/reports?stato=Nuova',
    );
  });

  it('keeps typed text through a background refresh, which is marked as such', async () => {
    await open();
    write('la mia nota');
    server.save({ note: 'nota della collega', stato: 'In lavorazione' });
    await pass(2100);
    expect(notes()).toHaveValue('la mia nota');
    expect(screen.getByText(/ha appena modificato queste note/)).toBeInTheDocument();
    expect(stato()).toHaveValue('In lavorazione');
    expect(server.sent.map((request) => request.headers.get('x-background'))).toEqual([null, '1']);
  });

  it('follows the server while nothing is typed', async () => {
    await open();
    server.save({ note: 'nota della collega' });
    await pass(2100);
    expect(notes()).toHaveValue('nota della collega');
  });

  it('saves only the change, on its version, and says so for eight seconds', async () => {
    await open();
    expect(screen.getByRole('button', { name: 'Salva Modifiche' })).toHaveAttribute('aria-disabled', 'true');
    write('la mia nota');
    await save();
    expect(sent()).toEqual([[{ note: 'la mia nota' }, '"1"']]);
    expect(screen.getByText(/^Nota salvata: /)).toBeInTheDocument();
    await pass(7900);
    expect(screen.getByText(/^Nota salvata: /)).toBeInTheDocument();
    await pass(200);
    expect(screen.queryByText(/^Nota salvata: /)).toBeNull();
  });

  it('shows the department and why, and moves the report to another', async () => {
    server.save({
      department: 'lavoro',
      departmentName: 'Lavoro/Sfruttamento',
      reason: 'Analisi del contenuto: Lavoro/Sfruttamento 71%.',
      matchedKeywords: ['stipendio', 'cantiere'],
      scores: [
        { department: 'lavoro', percent: 71 },
        { department: 'sanita', percent: 14 },
      ],
      secondary: 'sanita',
    });
    await open();
    const card = within(screen.getByRole('region', { name: 'Perché questo reparto' }));
    expect(card.getByText('anche: Sanità/Ospedali')).toBeInTheDocument();
    expect(card.getByText('Analisi del contenuto: Lavoro/Sfruttamento 71%.')).toBeInTheDocument();
    expect(card.getAllByRole('listitem').map((word) => word.textContent)).toEqual(['stipendio', 'cantiere']);
    expect(card.getAllByRole('definition').map((share) => share.textContent)).toEqual(['71%', '14%']);
    fireEvent.change(screen.getByRole('combobox', { name: 'Reparto' }), { target: { value: 'scuola' } });
    await pass(0);
    expect(server.patches().map(({ body }) => body)).toEqual([{ department: 'scuola' }]);
    expect(screen.getByText(/^In Scuola\/Istruzione: /)).toBeInTheDocument();
  });

  it('shows both versions when somebody saved first, and sends mine on the new one', async () => {
    await open();
    write('la mia nota');
    server.save({ note: 'nota della collega', stato: 'Archiviata' });
    await save();
    const panel = screen.getByRole('region', { name: /ha salvato prima di te/ });
    expect(panel).toHaveFocus();
    expect(panel).toHaveTextContent('nota della collega');
    expect(panel).toHaveTextContent('la mia nota');
    expect(notes()).toHaveValue('la mia nota');
    fireEvent.click(screen.getByRole('button', { name: 'Mantieni le mie modifiche' }));
    await pass(0);
    expect(server.report).toMatchObject({ note: 'la mia nota', stato: 'Archiviata', versione: 3 });
    expect(screen.queryByRole('region', { name: /ha salvato prima di te/ })).toBeNull();
  });

  it('knows its own save again whose answer was lost, and blames nobody', async () => {
    await open();
    write('la mia nota');
    server.losesAnswers = true;
    server.down = true;
    await save();
    expect(screen.getByRole('alert')).toHaveTextContent('Connessione assente');
    server.losesAnswers = false;
    server.down = false;
    await save();
    expect(screen.queryByRole('region', { name: /ha salvato prima di te/ })).toBeNull();
    expect(screen.getByText(/^Nota salvata: /)).toBeInTheDocument();
    expect(server.report).toMatchObject({ note: 'la mia nota', versione: 2 });
    expect(notes()).toHaveValue('la mia nota');
  });

  it('takes what it sent as saved beside what somebody else changed meanwhile', async () => {
    await open();
    write('la mia nota');
    server.losesAnswers = true;
    server.down = true;
    await save();
    server.losesAnswers = false;
    server.down = false;
    server.save({ stato: 'Risolta' });
    await save();
    expect(screen.getByText(/^Nota salvata: /)).toBeInTheDocument();
    expect(stato()).toHaveValue('Risolta');
    expect(server.report).toMatchObject({ note: 'la mia nota', stato: 'Risolta', versione: 3 });
  });

  it('takes the saved version on request, and can bring the typed text back', async () => {
    await open();
    write('la mia nota');
    server.save({ note: 'nota della collega' });
    await save();
    fireEvent.click(screen.getByRole('button', { name: 'Usa la versione salvata' }));
    expect(notes()).toHaveValue('nota della collega');
    fireEvent.click(screen.getByRole('button', { name: 'Ripristina le mie modifiche' }));
    expect(notes()).toHaveValue('la mia nota');
  });

  it('shows the newest of several saves that stand in the way, and loses nothing typed', async () => {
    await open();
    write('la mia nota');
    server.save({ note: 'nota della collega' });
    await save();
    server.save({ note: 'ancora la collega' });
    await pass(2100);
    const panel = screen.getByRole('region', { name: /ha salvato prima di te/ });
    expect(panel).toHaveTextContent('ancora la collega');
    expect(notes()).toHaveValue('la mia nota');
  });

  it('keeps what was typed while a save was under way', async () => {
    await open();
    write('la mia nota');
    fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
    write('la mia nota, continuata');
    await pass(0);
    expect(notes()).toHaveValue('la mia nota, continuata');
    await save();
    expect(server.patches().map(({ body }) => body)).toEqual([
      { note: 'la mia nota' },
      { note: 'la mia nota, continuata' },
    ]);
  });

  it('sends again by itself when the other change touched neither status nor notes', async () => {
    await open();
    write('la mia nota');
    server.save({});
    await save();
    expect(server.report?.note).toBe('la mia nota');
    expect(screen.queryByText(/ha salvato prima di te/)).toBeNull();
  });

  it.each(['Urgente', 'Stampa PDF', 'Metti da parte chi scrive'])(
    'closes its menu once «%s» is chosen, and gives the focus back',
    async (name) => {
      await open();
      await press(screen.getByRole('button', { name: 'Altro' }));
      await press(screen.getByRole('button', { name }));
      expect(screen.queryByRole('button', { name })).toBeNull();
      expect(screen.getByRole('button', { name: 'Altro' })).toHaveFocus();
    },
  );

  it('keeps the text and the error until dismissed when a save fails', async () => {
    await open();
    server.failure = 507;
    write('la mia nota');
    await save();
    await pass(10_000);
    expect(screen.getByRole('alert')).toHaveTextContent('Fallito: spazio-esaurito');
    expect(notes()).toHaveValue('la mia nota');
    fireEvent.click(screen.getByRole('button', { name: 'Chiudi il messaggio' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('gives unsaved text back after a session that ended by itself, but not after a logout', async () => {
    const first = await open();
    write('bozza');
    act(() => first.session.hear('expired'));
    first.close();
    const second = await open();
    expect(notes()).toHaveValue('bozza');
    act(() => second.session.hear('logout'));
    second.close();
    await open();
    expect(notes()).toHaveValue('');
  });

  it('keeps what was typed and not sent until the report is opened again', async () => {
    const box = () => screen.getByRole('textbox', { name: 'Aggiungi un commento' });
    const first = await open();
    fireEvent.change(box(), { target: { value: 'Da sentire.' } });
    first.close();
    await open();
    expect(box()).toHaveValue('Da sentire.');
  });

  it('says when there is no such report', async () => {
    server.report = null;
    await open();
    expect(screen.getByRole('heading', { name: 'Segnalazione non trovata' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Torna alla lista' })).toHaveAttribute('href', '/admin/reports');
    await pass(10_000);
    expect(server.sent).toHaveLength(1);
  });
});
