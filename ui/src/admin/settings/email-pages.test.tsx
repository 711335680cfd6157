import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import openapi from '../../../openapi.json';
import type { DryRun, EmailSettings, RoutingResult } from '../../shared/api/schema';
import { lineDown, problem, type Request } from '../../shared/testing/server';
import { paths } from '../common/paths';
import type { SettingsPage } from '../common/settings-pages';
import { openPage, pass, type } from '../testing/panel-page';
import { sampleEmail } from '../testing/sample-settings';
import { sampleDepartments } from '../testing/samples';
import { EmailPage } from './email-pages';
import { rowsOf } from './testing/rows';

let email: ReturnType<typeof sampleEmail>;
let tested: () => Response;
let refusal: (() => Response) | null;
let dryRun: DryRun;

const VERDICT: RoutingResult = {
  department: 'ambiente',
  departmentName: 'Ambiente/Territorio',
  email: 'ambiente@esempio.example',
  reason: 'Analisi del contenuto: Ambiente/Territorio 82%.',
  matchedKeywords: ['discarica'],
  scores: [{ department: 'ambiente', percent: 82 }],
  secondary: null,
};
const GOOD = 'Test email inviata con successo! Controlla la tua casella di posta.';
const QUESTION =
  'Il test email è fallito. Vuoi salvare comunque le impostazioni? Le email potrebbero non funzionare correttamente.';

function answer({ method, path, body }: Request): Response {
  if (path === '/departments') {
    return Response.json(sampleDepartments());
  }
  if (path === '/routing/memory') {
    return Response.json({ moves: 0 });
  }
  if (path.startsWith('/routing/')) {
    return Response.json(path === '/routing/preview' ? VERDICT : dryRun);
  }
  if (path === '/settings/email/test') {
    return tested();
  }
  if (method === 'PUT') {
    if (refusal) {
      return refusal();
    }
    const { smtpPassword, ...changes } = body as Partial<EmailSettings>;
    const known =
      smtpPassword === undefined || smtpPassword === null ? email.smtpPasswordSet : smtpPassword !== '';
    email = { ...email, ...changes, smtpPassword: null, smtpPasswordSet: known ?? false };
  }
  return Response.json(email);
}

beforeEach(() => {
  email = sampleEmail();
  tested = () => Response.json({ success: true, message: GOOD });
  refusal = null;
  dryRun = { looked: 40, changed: 0, examples: [] };
});

const open = (page: SettingsPage) => openPage(<EmailPage />, answer, { address: paths.setting(page) });
const field = (label: string | RegExp) => screen.getByLabelText(label);
const button = (name: string) => screen.getByRole('button', { name });
const press = async (name: string) => {
  fireEvent.click(button(name));
  await pass(0);
};
const fail = () => Response.json({ success: false, message: 'Il server non accetta utente e password.' });

describe('the mail settings', () => {
  it('have a row each', async () => {
    const settings = Object.keys(openapi.components.schemas.Email.properties).concat('smtpPassword');
    const rows = new Set(await rowsOf('email', <EmailPage />, answer));
    email = sampleEmail({ smtpAccess: 'microsoft365' });
    for (const row of await rowsOf('email', <EmailPage />, answer)) {
      rows.add(row);
    }
    expect([...rows].toSorted()).toEqual(settings.toSorted());
  });

  it('say at the form when mail is on and cannot go out, before anything is saved', async () => {
    email = sampleEmail({ emailFrom: '' });
    await open('email/recipients');
    expect(screen.getByText(/manca il mittente: nessuna email arriva/)).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Vai al server di posta' })).toBeInTheDocument();
    fireEvent.click(button('Rimuovi redazione@esempio.example'));
    expect(screen.getByText(/mancano il mittente e l’indirizzo di chi le riceve/)).toBeInTheDocument();
    fireEvent.click(field('Invia una email per ogni segnalazione'));
    expect(screen.queryByText('Le email non partono')).toBeNull();
  });

  it('save only what was changed, numbers as numbers, and say so', async () => {
    const page = await open('email/recipients');
    fireEvent.paste(field('Destinatari'), {
      clipboardData: { getData: () => 'capo@esempio.example\nvice@esempio.example' },
    });
    fireEvent.blur(field('Destinatari'));
    fireEvent.change(field('Che cosa contiene'), { target: { value: 'avviso' } });
    await press('Salva Modifiche');
    expect(page.changes()).toEqual([
      {
        method: 'PUT',
        path: '/settings/email',
        body: {
          emailRecipient: 'redazione@esempio.example, capo@esempio.example, vice@esempio.example',
          emailContent: 'avviso',
        },
      },
    ]);
    expect(screen.getByText('Impostazioni email salvate con successo!')).toBeInTheDocument();
  });

  it('show each refusal at its field, inside a part that is folded away too', async () => {
    refusal = () =>
      problem(422, 'dati-non-validi', {
        errors: { routingThreshold: 'Da 1 a 100.' },
      });
    await open('email/departments');
    type('Email di Redazione Generale', 'x@esempio.example');
    fireEvent.blur(field('Email di Redazione Generale'));
    const brought = vi.spyOn(Element.prototype, 'scrollIntoView');
    await press('Salva Modifiche');
    const wrong = field('Soglia');
    expect(wrong.closest('details')).toHaveAttribute('open');
    expect(wrong).toHaveFocus();
    expect(brought.mock.contexts).toEqual([wrong]);
    brought.mockRestore();
    expect(wrong).toHaveAccessibleDescription(/Da 1 a 100\./);
    expect(screen.getByRole('alert')).toHaveTextContent('Errore nel salvataggio delle impostazioni');
  });

  it('name the page of a refusal that stands on another one', async () => {
    refusal = () => problem(422, 'dati-non-validi', { errors: { smtpHost: 'Inserisci solo il nome.' } });
    await open('email/departments');
    type('Email di Redazione Generale', 'x@esempio.example');
    fireEvent.blur(field('Email di Redazione Generale'));
    await press('Salva Modifiche');
    const alert = screen.getByRole('alert');
    expect(alert).toHaveTextContent('Server di posta: Inserisci solo il nome.');
    const link = within(alert).getByRole('link', { name: 'Server di posta' });
    expect(link).toHaveAttribute('href', '/admin/settings/email/mail-server#smtpHost');
  });

  it('ask for a threshold only where the analysis decides', async () => {
    await open('email/departments');
    expect(field('Soglia')).toHaveValue('40');
    fireEvent.change(field('Come si sceglie il reparto'), { target: { value: 'keywords' } });
    expect(screen.queryByLabelText('Soglia')).toBeNull();
  });
});

describe('routing', () => {
  it('is tried on a text, in the mode that is chosen', async () => {
    const page = await open('email/departments');
    expect(button('Prova')).toHaveAttribute('aria-disabled', 'true');
    fireEvent.change(field('Come si sceglie il reparto'), { target: { value: 'keywords' } });
    type('Testo di prova', 'Una discarica nel bosco.');
    await press('Prova');
    expect(page.changes()).toEqual([
      {
        method: 'POST',
        path: '/routing/preview',
        body: { text: 'Una discarica nel bosco.', mode: 'keywords' },
      },
    ]);
    expect(screen.getByText('Analisi del contenuto: Ambiente/Territorio 82%.')).toBeInTheDocument();
    expect(screen.getByText('L’email andrebbe a ambiente@esempio.example.')).toBeInTheDocument();
  });

  it('is tried on what has arrived, with what is in the form', async () => {
    const page = await open('email/departments');
    type('Soglia', '60');
    dryRun = {
      looked: 500,
      changed: 14,
      examples: [
        { id: '0b54a6c2-6d1e', before: 'lavoro', after: 'generale', department: 'lavoro', stato: 'Nuova' },
      ],
    };
    await press('Prova sulle segnalazioni arrivate');
    expect(page.changes()).toEqual([
      { method: 'POST', path: '/routing/dry-run', body: { routingThreshold: 60 } },
    ]);
    expect(screen.getByText('Sulle ultime 500 segnalazioni, 14 cambierebbero reparto.')).toBeInTheDocument();
    expect(screen.getByText('da Lavoro/Sfruttamento a Redazione Generale')).toBeInTheDocument();
  });

  it.each([
    [0, 0, 'Non c’è ancora nessuna segnalazione su cui provare.'],
    [1, 0, 'Sull’unica segnalazione non cambierebbe nulla.'],
    [40, 1, 'Sulle ultime 40 segnalazioni, una cambierebbe reparto.'],
  ])('says how much would change: of %i, %i', async (looked, changed, words) => {
    dryRun = { looked, changed, examples: [] };
    await open('email/departments');
    await press('Prova sulle segnalazioni arrivate');
    expect(screen.getByText(words)).toBeInTheDocument();
  });
});

describe('Microsoft 365', () => {
  const choose = () => fireEvent.change(field('Accesso'), { target: { value: 'microsoft365' } });

  it('asks for what a token needs, and takes no server or password over', async () => {
    const page = await open('email/mail-server');
    expect(screen.queryByLabelText('Segreto dell’applicazione')).toBeNull();
    choose();
    expect(screen.queryByLabelText('Password')).toBeNull();
    expect(field('Server')).toHaveValue('');
    expect(field('Segreto dell’applicazione')).toHaveAccessibleDescription(/Scrivi il segreto di nuovo/);
    expect(button('Test Email')).toHaveAttribute('aria-disabled', 'true');
    expect(
      screen.getByText(/manca: l’ID della directory, l’ID applicazione, il segreto, qui sopra/),
    ).toBeVisible();
    type('Utente', 'segnalazioni@esempio.example');
    type('ID della directory (tenant)', 'esempio.onmicrosoft.com');
    type('ID applicazione (client)', '1111-2222');
    type('Segreto dell’applicazione', 'ApZ8Q~');
    type('Il segreto scade il', '2027-06-30');
    expect(button('Test Email')).not.toHaveAttribute('aria-disabled');
    await press('Salva Modifiche');
    expect(page.changes()[0]?.body).toEqual({
      smtpAccess: 'microsoft365',
      smtpHost: '',
      smtpUsername: 'segnalazioni@esempio.example',
      smtpTenant: 'esempio.onmicrosoft.com',
      smtpClientId: '1111-2222',
      smtpPassword: 'ApZ8Q~',
      smtpSecretExpires: '2027-06-30',
    });
  });

  it('tells what to do at Microsoft, with commands that bear what is typed', async () => {
    email = sampleEmail({
      smtpAccess: 'microsoft365',
      smtpClientId: '1111-2222',
      smtpUsername: 'posta@esempio.example',
    });
    await open('email/mail-server');
    fireEvent.click(screen.getByText('Come si prepara Microsoft 365'));
    expect(screen.getByText('SMTP.SendAsApp')).toBeVisible();
    const commands = screen.getByText(/New-ServicePrincipal/);
    expect(commands).toHaveTextContent('New-ServicePrincipal -AppId 1111-2222 -ObjectId ID_OGGETTO');
    expect(commands).toHaveTextContent(
      'Set-CASMailbox -Identity posta@esempio.example -SmtpClientAuthenticationDisabled $false',
    );
    expect(button('Copia i comandi')).toBeVisible();
  });

  it('keeps the stored secret until something else decides who gets it', async () => {
    email = sampleEmail({ smtpAccess: 'microsoft365', smtpTenant: 'a', smtpClientId: 'b' });
    await open('email/mail-server');
    expect(field('Segreto dell’applicazione')).toHaveAccessibleDescription(
      /Impostato\. Non viene mai mostrato/,
    );
    type('Il segreto scade il', '2027-06-30');
    expect(button('Test Email')).not.toHaveAttribute('aria-disabled');
    fireEvent.click(screen.getByText('Altro cloud'));
    type('Indirizzo dei token', 'https://login.microsoftonline.us/{tenant}/oauth2/v2.0/token');
    expect(button('Test Email')).toHaveAttribute('aria-disabled', 'true');
    expect(field('Segreto dell’applicazione')).toHaveAccessibleDescription(/Scrivi il segreto di nuovo/);
  });
});

describe('a test mail', () => {
  it('goes out with what is in the form, saved or not', async () => {
    const page = await open('email/mail-server');
    await press('Test Email');
    type('Server', 'altro.esempio.example');
    type('Password', 'segreta');
    await press('Test Email');
    expect(page.changes()).toEqual([
      { method: 'POST', path: '/settings/email/test', body: {} },
      {
        method: 'POST',
        path: '/settings/email/test',
        body: { smtpHost: 'altro.esempio.example', smtpPassword: 'segreta' },
      },
    ]);
    expect(screen.getByText(GOOD).closest('[role="status"]')).not.toBeNull();
    await pass(8100);
    expect(screen.queryByText(GOOD)).toBeNull();
  });

  it('needs a server', async () => {
    const page = await open('email/mail-server');
    type('Server', '  ');
    expect(button('Test Email')).toHaveAttribute('aria-disabled', 'true');
    await press('Test Email');
    expect(page.changes()).toEqual([]);
  });

  it('needs a password where it needs a user: one that is stored, for that login, or one that is typed', async () => {
    await open('email/mail-server');
    expect(button('Test Email')).not.toHaveAttribute('aria-disabled');
    type('Utente', 'altro');
    expect(button('Test Email')).toHaveAttribute('aria-disabled', 'true');
    expect(field('Password')).toHaveAccessibleDescription(/Hai cambiato server, porta o utente/);
    type('Password', 'segreta');
    expect(button('Test Email')).not.toHaveAttribute('aria-disabled');
    type('Password', '');
    type('Utente', '');
    expect(button('Test Email')).not.toHaveAttribute('aria-disabled');
    type('Utente', 'posta');
    fireEvent.click(button('Password: rimuovi'));
    expect(button('Test Email')).toHaveAttribute('aria-disabled', 'true');
  });

  it('cannot be sent twice at once', async () => {
    const page = await open('email/mail-server');
    fireEvent.click(button('Test Email'));
    expect(button('Invio in corso…')).toHaveAttribute('aria-disabled', 'true');
    fireEvent.click(button('Invio in corso…'));
    await pass(0);
    expect(page.changes()).toHaveLength(1);
  });

  it('that failed is told until dismissed, and asked about before the settings are saved', async () => {
    tested = fail;
    const page = await open('email/mail-server');
    type('Utente', 'altro');
    type('Password', 'segreta');
    await press('Test Email');
    expect(screen.getByRole('alert')).toHaveTextContent('Il server non accetta utente e password.');
    await press('Salva Modifiche');
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByText(QUESTION)).toBeInTheDocument();
    fireEvent.click(dialog.getByRole('button', { name: 'Annulla' }));
    expect(page.changes()).toHaveLength(1);
    await press('Salva Modifiche');
    await press('Salva comunque');
    expect(page.changes()[1]?.body).toEqual({ smtpUsername: 'altro', smtpPassword: 'segreta' });
    expect(screen.getByText('Impostazioni email salvate con successo!')).toBeInTheDocument();
  });

  it.each([
    ['the line dropped', lineDown],
    ['the server broke', () => problem(500, 'errore-interno')],
  ])('is asked about too where %s', async (_, outcome) => {
    tested = outcome as () => Response;
    await open('email/mail-server');
    type('Mittente', 'altra@esempio.example');
    await press('Test Email');
    await press('Salva Modifiche');
    expect(within(screen.getByRole('dialog')).getByText(QUESTION)).toBeInTheDocument();
  });

  it('asks nothing any more once the login is another one or another test succeeded', async () => {
    tested = fail;
    const page = await open('email/mail-server');
    type('Mittente', 'altra@esempio.example');
    await press('Test Email');
    type('Mittente', 'terza@esempio.example');
    await press('Salva Modifiche');
    expect(page.changes().at(-1)?.method).toBe('PUT');
    type('Porta', '465');
    type('Password', 'x');
    await press('Test Email');
    tested = () => Response.json({ success: true, message: GOOD });
    await press('Test Email');
    await press('Salva Modifiche');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(page.changes().at(-1)?.body).toEqual({ smtpPort: 465, smtpPassword: 'x' });
  });

  it('that was not even tried says so at the field, and asks nothing before a save', async () => {
    tested = () => problem(422, 'dati-non-validi', { errors: { smtpPort: 'Porta tra 1 e 65535.' } });
    const page = await open('email/mail-server');
    type('Porta', '0');
    type('Password', 'segreta');
    await press('Test Email');
    expect(field('Porta')).toHaveAccessibleDescription(/Porta tra 1 e 65535\./);
    expect(field('Porta')).toBeInvalid();
    await press('Salva Modifiche');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(page.changes().at(-1)).toMatchObject({ method: 'PUT', body: { smtpPassword: 'segreta' } });
  });

  it.each([
    ['a line that is down', lineDown, /^Errore di connessione: Connessione assente/],
    [
      'a server that refuses it',
      () => Response.json({ success: false, message: 'Il server non accetta utente e password.' }),
      'Il server non accetta utente e password.',
    ],
    [
      'a field that is wrong',
      () =>
        problem(422, 'dati-non-validi', {
          detail: 'Non validi.',
          errors: { smtpPort: 'Porta tra 1 e 65535.' },
        }),
      'Non validi. Porta tra 1 e 65535.',
    ],
  ])('says why it failed: %s', async (_, outcome, words) => {
    tested = outcome as () => Response;
    await open('email/mail-server');
    await press('Test Email');
    expect(within(screen.getByRole('alert')).getByText(words)).toBeInTheDocument();
  });
});
