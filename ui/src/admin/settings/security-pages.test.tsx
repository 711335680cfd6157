import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import openapi from '../../../openapi.json';
import type { AccessLog, Security } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { paths } from '../common/paths';
import type { SettingsPage } from '../common/settings-pages';
import { openPage, pass, press, type } from '../testing/panel-page';
import { sampleSecurity } from '../testing/sample-settings';
import { SecurityPage } from './security-pages';
import { rowsOf } from './testing/rows';

const NONE = { lastDay: 0, lastWeek: 0, total: 0 };
let security: Security;
let log: AccessLog;
/** The answer that a request gets instead of the usual one. */
let refusal: ((request: Request) => Response) | null;

function answer(request: Request): Response {
  const { method, path, body } = request;
  if (refusal && method !== 'GET') {
    return refusal(request);
  }
  if (path.startsWith('/logs')) {
    if (method === 'DELETE') {
      log = { ...log, data: [], statistics: { ...log.statistics, all: NONE } };
      return new Response(null, { status: 204 });
    }
    return Response.json(log);
  }
  if (path === '/retention') {
    const none = { warned: 0, next: null, spared: 0, expired: 0, erased: 0 };
    return Response.json({ days: security.reportRetentionDays, warningDays: 14, ...none });
  }
  if (path === '/sieges') {
    return Response.json({ siege: false, data: [], aside: 0, upTo: 0, groups: [] });
  }
  if (path === '/security/sealed') {
    return Response.json({ sealed: false, complete: true });
  }
  if (path === '/people') {
    return Response.json({ data: [] });
  }
  if (path === '/password') {
    return new Response(null, { status: 204 });
  }
  if (method === 'PUT') {
    security = { ...security, ...(body as Partial<Security>) };
  }
  return Response.json(security);
}

beforeEach(() => {
  security = sampleSecurity();
  refusal = null;
  log = {
    data: [
      {
        timestamp: '2026-11-21T11:00:00Z',
        action: 'LOGIN_FAILED',
        ip: '198.51.100.9',
        userAgent: 'curl/8.5.0',
      },
    ],
    statistics: {
      all: { lastDay: 1, lastWeek: 12, total: 1234 },
      failedLogins: { lastDay: 1, lastWeek: 3, total: 5 },
      lastLogin: null,
    },
  };
});

const open = (page: SettingsPage = 'security/access') =>
  openPage(<SecurityPage />, answer, { address: paths.setting(page) });

describe('the security settings', () => {
  it('have a row each', async () => {
    const settings = Object.keys(openapi.components.schemas.Security.properties);
    expect((await rowsOf('security', <SecurityPage />, answer)).toSorted()).toEqual(settings.toSorted());
  });

  it('save only what was changed, and say so for eight seconds', async () => {
    const page = await open();
    expect(screen.getByRole('button', { name: 'Salva Modifiche' })).toHaveAttribute('aria-disabled', 'true');
    type('Uscita automatica', '30');
    fireEvent.click(screen.getByRole('switch', { name: /5 tentativi max/ }));
    await press('Salva Modifiche');
    expect(page.changes()).toEqual([
      {
        method: 'PUT',
        path: '/settings/security',
        body: { sessionTimeout: 30, enableRateLimiting: false },
      },
    ]);
    const news = screen.getByText('Impostazioni di sicurezza salvate con successo!');
    expect(news.closest('[role="status"]')).not.toBeNull();
    await pass(8100);
    expect(screen.queryByText('Impostazioni di sicurezza salvate con successo!')).toBeNull();
    expect(screen.getByText('Tentativi di accesso illimitati')).toBeInTheDocument();
  });

  it('show each refusal at its field, with the focus on the first', async () => {
    refusal = () =>
      problem(422, 'dati-non-validi', {
        errors: { minWordCount: 'Deve essere un numero intero.', minReportLength: 'Inserisci un numero.' },
      });
    await open('security/rules');
    type('Lunghezza minima del racconto', '3');
    type('Parole minime del racconto', 'dieci');
    await press('Salva Modifiche');
    const [first, second] = [
      screen.getByLabelText('Lunghezza minima del racconto'),
      screen.getByLabelText('Parole minime del racconto'),
    ];
    expect(first).toHaveAccessibleDescription(/Inserisci un numero\./);
    expect(second).toHaveAccessibleDescription(/Deve essere un numero intero\./);
    expect(first).toHaveFocus();
    expect(screen.getByRole('alert')).toHaveTextContent('Errore nel salvataggio delle impostazioni');
    type('Lunghezza minima del racconto', '30');
    await pass(0);
    expect(first).not.toHaveAttribute('aria-invalid');
    expect(second).toHaveAttribute('aria-invalid', 'true');
    expect(screen.getByRole('alert')).toBeInTheDocument();
    type('Parole minime del racconto', '8');
    await pass(0);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByText('Modifiche non salvate')).toBeInTheDocument();
  });

  it('say at a switch, too, why it was refused', async () => {
    const sharedPassword = 'Prima serve un amministratore con un nome utente.';
    refusal = () => problem(422, 'dati-non-validi', { errors: { sharedPassword } });
    await open('security/people');
    fireEvent.click(screen.getByRole('switch', { name: 'Password della redazione' }));
    await press('Salva Modifiche');
    const refused = screen.getByRole('switch', { name: 'Password della redazione' });
    expect(refused).toHaveAccessibleDescription(new RegExp(sharedPassword));
    expect(refused).toHaveFocus();
  });

  it('say what the server refuses of a field that is not on the page', async () => {
    refusal = () => problem(422, 'dati-non-validi', { errors: { altro: 'Campo sconosciuto: altro.' } });
    await open();
    type('Uscita automatica', '30');
    await press('Salva Modifiche');
    expect(screen.getByRole('alert')).toHaveTextContent('Campo sconosciuto: altro.');
  });

  it('ask before a list that shuts its author out, and offer to add the address', async () => {
    const detail = "Il tuo indirizzo 127.0.0.1 non è nell'elenco: salvando perderesti l'accesso al pannello.";
    refusal = ({ path }) =>
      path.includes('confirm=true')
        ? Response.json(security)
        : problem(409, 'esclusione', { detail, address: '127.0.0.1' });
    const page = await open();
    type('Indirizzi IP autorizzati', '192.0.2.0/24 2001:db8::/32');
    await press('Aggiungi a Indirizzi IP autorizzati');
    await press('Salva Modifiche');
    const dialog = screen.getByRole('dialog', { name: 'Perderesti l’accesso al pannello' });
    expect(dialog).toHaveTextContent(detail);
    expect(screen.queryByText('Errore nel salvataggio delle impostazioni')).toBeNull();
    await press('Aggiungi 127.0.0.1');
    const list = within(screen.getByRole('list', { name: 'Indirizzi autorizzati' }));
    expect(list.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      '192.0.2.0/24',
      '2001:db8::/32',
      '127.0.0.1',
    ]);
    await press('Rimuovi 127.0.0.1');
    await press('Salva Modifiche');
    await press('Salva comunque');
    expect(page.changes().at(-1)).toEqual({
      method: 'PUT',
      path: '/settings/security?confirm=true',
      body: { allowedIPs: '192.0.2.0/24, 2001:db8::/32' },
    });
  });

  it('say what a required datum costs, and lead to what is said to who cannot give it', async () => {
    const page = await open('security/rules');
    const email = screen.getByRole('switch', { name: 'Email obbligatoria' });
    expect(email).toHaveAccessibleDescription(/Se è obbligatori[oa], .*Altrimenti, /);
    const link = screen.getByRole('link', { name: 'Prompt Chat' });
    expect(link).toHaveAttribute('href', '/admin/prompts?sezione=guide');
    fireEvent.click(email);
    await press('Salva Modifiche');
    expect(page.changes()[0]?.body).toEqual({ emailRequired: false });
  });

  it('count what was typed into a list and not added', async () => {
    const page = await open('security/rules');
    type('Parole vietate', 'AVVOCATO');
    expect(screen.getByText('Modifiche non salvate')).toBeInTheDocument();
    fireEvent.blur(screen.getByLabelText('Parole vietate'));
    expect(screen.queryByText('Modifiche non salvate')).toBeNull();
    type('Parole vietate', 'giudice; AVVOCATO');
    fireEvent.blur(screen.getByLabelText('Parole vietate'));
    await press('Salva Modifiche');
    expect(page.changes()[0]?.body).toEqual({ forbiddenWords: 'avvocato, avvocati, giudice' });
  });

  it('change the password in a call of its own', async () => {
    const page = await open('security/password');
    type('Password attuale', 'quella di prima');
    type('Nuova password', 'quattro cavalli in pianura');
    const button = screen.getByRole('button', { name: 'Cambia password' });
    expect(button).toHaveAttribute('aria-disabled', 'true');
    type('Ripeti la nuova password', 'quattro cavalli in pianura');
    refusal = () => problem(401, 'password-non-valida', { detail: 'Password non valida' });
    await press('Cambia password');
    expect(screen.getByLabelText('Password attuale')).toHaveFocus();
    expect(screen.getByLabelText('Password attuale')).toHaveAccessibleDescription('Password non valida');
    refusal = () => problem(422, 'dati-non-validi', { errors: { new: 'Password troppo comune.' } });
    await press('Cambia password');
    expect(screen.getByLabelText('Nuova password')).toHaveFocus();
    expect(screen.getByLabelText('Nuova password')).toHaveAccessibleDescription(/troppo comune/);
    refusal = null;
    await press('Cambia password');
    expect(page.changes().at(-1)).toEqual({
      method: 'PUT',
      path: '/password',
      body: { current: 'quella di prima', new: 'quattro cavalli in pianura' },
    });
    expect(screen.getByText(/^Password cambiata\./)).toBeInTheDocument();
    expect(screen.getByLabelText('Password attuale')).toHaveValue('');
  });

  it('keep unsaved changes through the end of a session, but not through a logout', async () => {
    const first = await open();
    type('Uscita automatica', '30');
    first.session.lost();
    first.close();
    const second = await open();
    expect(screen.getByLabelText('Uscita automatica')).toHaveValue('30');
    expect(screen.getByText(/abbiamo conservato ciò che avevi scritto/)).toBeInTheDocument();
    await second.session.logout();
    second.close();
    await open();
    expect(screen.getByLabelText('Uscita automatica')).toHaveValue('60');
  });

  it('keep what was typed while a save was under way, and take what the server made of the rest', async () => {
    const page = await open('security/retention');
    type('Archiviazione automatica', '030');
    type('Conservazione delle segnalazioni', '70');
    refusal = () => Response.json({ ...security, autoArchiveDays: 31, reportRetentionDays: 70 });
    fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
    type('Conservazione delle segnalazioni', '80');
    await pass(0);
    expect(screen.getByLabelText('Archiviazione automatica')).toHaveValue('31');
    expect(screen.getByLabelText('Conservazione delle segnalazioni')).toHaveValue('80');
    refusal = null;
    await press('Salva Modifiche');
    expect(page.changes().at(-1)?.body).toEqual({ reportRetentionDays: 80 });
  });

  it('forget a change that was typed back, or given up', async () => {
    const page = await open();
    type('Uscita automatica', '30');
    type('Uscita automatica', '60');
    expect(screen.queryByText('Modifiche non salvate')).toBeNull();
    type('Uscita automatica', '30');
    await press('Scarta');
    expect(screen.getByLabelText('Uscita automatica')).toHaveValue('60');
    await press('Salva Modifiche');
    expect(page.changes()).toEqual([]);
  });

  it('show the log with its figures, and empty it once asked twice', async () => {
    const page = await open('security/log');
    expect(screen.getByText('In tutto').nextSibling).toHaveTextContent('1.234');
    expect(screen.getByText('Accessi falliti, 7 giorni').nextSibling).toHaveTextContent('3');
    expect(screen.getByText('Ultimo accesso').nextSibling).toHaveTextContent('—');
    fireEvent.change(screen.getByLabelText('Azione'), { target: { value: 'LOGIN_FAILED' } });
    await pass(0);
    expect(page.requests.at(-1)?.path).toBe('/logs?limit=10&action=LOGIN_FAILED');
    fireEvent.change(screen.getByLabelText('Azione'), { target: { value: 'copie' } });
    await pass(0);
    expect(page.requests.at(-1)?.path).toBe('/logs?limit=10&kind=copie');

    await press('Pulisci Tutti i Log');
    const dialog = screen.getByRole('dialog');
    expect(dialog).toHaveTextContent(
      'Sei sicuro di voler pulire tutti i log? Questa azione non può essere annullata.',
    );
    refusal = () => problem(500, 'errore-interno');
    fireEvent.click(within(dialog).getByRole('button', { name: 'Pulisci' }));
    await pass(0);
    expect(screen.getByRole('alert')).toHaveTextContent('Errore durante la pulizia dei log');
    refusal = null;
    await press('Pulisci Tutti i Log');
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Pulisci' }));
    await pass(0);
    expect(screen.getByText('Log sistema puliti con successo!')).toBeInTheDocument();
    await pass(0);
    expect(screen.getByText('Nessuna voce nel registro.')).toBeInTheDocument();
  });
});
