import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import openapi from '../../../openapi.json';
import type { SystemSettings } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { paths } from '../common/paths';
import type { SettingsPage } from '../common/settings-pages';
import { openPage, pass, press, type } from '../testing/panel-page';
import { installationAnswer } from '../testing/sample-installation';
import { sampleSystem } from '../testing/sample-settings';
import { sampleBranding } from '../testing/samples';
import { SystemPage } from './system-pages';
import { rowsOf } from './testing/rows';

let system: SystemSettings;
let refusal: ((request: Request) => Response) | null;
let database: string;

function answer(request: Request): Response {
  const { method, path, body } = request;
  if (refusal && method !== 'GET') {
    return refusal(request);
  }
  if (path === '/system') {
    return Response.json({ database, version: '9.8.7', commit: 'abcdef1', built: '2026-11-20T08:05:00Z' });
  }
  const installation = installationAnswer(path);
  if (installation) {
    return installation;
  }
  if (method === 'DELETE') {
    return new Response(null, { status: 204 });
  }
  if (method === 'PUT') {
    system = { ...system, ...(body as Partial<SystemSettings>) };
  }
  return Response.json(system);
}

beforeEach(() => {
  system = sampleSystem();
  refusal = null;
  database = 'online';
});

const open = (page: SettingsPage) => openPage(<SystemPage />, answer, { address: paths.setting(page) });

describe('the system settings', () => {
  it('have a row each', async () => {
    // Its switches stand on the page 'Prima di aprire'.
    const { openingSettled: _, ...rows } = openapi.components.schemas.System.properties;
    const settings = Object.keys(rows).concat('webhookApiKey');
    expect(
      (await rowsOf('system', <SystemPage />, answer)).filter((name) => name !== 'logo').toSorted(),
    ).toEqual(settings.toSorted());
  });

  it('save names, and tell the other tabs', async () => {
    const told: unknown[] = [];
    const other = new BroadcastChannel('segnalazioni-aspetto');
    other.onmessage = (event: MessageEvent) => told.push(event.data);
    const page = await open('system/names');
    type('Nome della redazione', 'La Voce');
    type('Nome dell’assistente', 'Vera');
    await press('Salva Modifiche');
    expect(page.changes()[0]?.body).toEqual({ organizationName: 'La Voce', assistantName: 'Vera' });
    expect(screen.getByText('Impostazioni di sistema salvate con successo!')).toBeInTheDocument();
    await vi.waitFor(() => expect(told).toEqual(['changed']));
    other.close();
  });

  it('preview the colour in both themes, as far as it is one', async () => {
    await open('system/look');
    type('Colore principale', '#C00000');
    const preview = within(screen.getByRole('region', { name: 'Anteprima del colore' }));
    const samples = preview.getAllByRole('figure');
    expect(samples.map((sample) => sample.dataset.theme)).toEqual(['light', 'dark']);
    expect(samples.map((sample) => sample.style.getPropertyValue('--primary'))).toEqual([
      '#c00000',
      '#c00000',
    ]);
    type('Colore principale', '#ffd4');
    expect(screen.queryByRole('region', { name: 'Anteprima del colore' })).toBeNull();
  });

  it('preview the notice as it is typed', async () => {
    await open('system/privacy');
    type('Testo', 'Un’altra informativa.');
    const preview = within(screen.getByRole('region', { name: 'Anteprima dell’informativa' }));
    expect(preview.getByText('Un’altra informativa.')).toBeInTheDocument();
    expect(preview.queryByText('Leggi l’informativa completa')).toBeNull();
    type('Link all’informativa completa', 'https://esempio.example');
    expect(preview.getByText('Leggi l’informativa completa')).toBeInTheDocument();
  });

  it.each([
    ['online', 'Produzione'],
    ['demo', 'Demo'],
    ['unavailable', 'Produzione'],
  ])('tell what is true of the program: %s is %s', async (state, environment) => {
    database = state;
    await open('system/health');
    expect(screen.getByText('Versione').nextSibling).toHaveTextContent('9.8.7 (abcdef1)');
    expect(screen.getByText('Ultimo aggiornamento').nextSibling).toHaveTextContent('20/11/2026 09:05');
    expect(screen.getByText('Ambiente').nextSibling).toHaveTextContent(environment);
  });

  it('go back to their defaults once asked twice, and load the page anew', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
    const page = await open('system/reset');
    await press('Ripristina le impostazioni');
    const dialog = within(screen.getByRole('dialog'));
    expect(
      dialog.getByText(
        'Sei sicuro di voler ripristinare tutte le impostazioni ai valori predefiniti? Questa azione non può essere annullata.',
      ),
    ).toBeInTheDocument();
    refusal = () => problem(500, 'errore-interno');
    fireEvent.click(dialog.getByRole('button', { name: 'Ripristina' }));
    await pass(0);
    expect(screen.getByRole('alert')).toHaveTextContent('Errore durante il ripristino delle impostazioni');
    refusal = null;
    await press('Ripristina le impostazioni');
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Ripristina' }));
    await pass(0);
    expect(page.changes().at(-1)).toMatchObject({ method: 'DELETE', path: '/settings' });
    expect(screen.getByText('Impostazioni ripristinate ai valori predefiniti!')).toBeInTheDocument();
    await pass(1400);
    expect(reload).not.toHaveBeenCalled();
    await pass(200);
    expect(reload).toHaveBeenCalledOnce();
  });
});

describe('the logo', () => {
  const choose = async (file: File) => {
    fireEvent.change(screen.getByLabelText('Logo', { selector: 'input' }), { target: { files: [file] } });
    await vi.waitFor(() => expect(screen.queryByText(/^Logo (salvato|non modificato)/)).not.toBeNull());
  };

  it('is sent as it is, at once, and the other tabs are told', async () => {
    const told: unknown[] = [];
    const other = new BroadcastChannel('segnalazioni-aspetto');
    other.onmessage = (event: MessageEvent) => told.push(event.data);
    const page = await open('system/look');
    vi.useRealTimers();
    await choose(new File(['ciao'], 'logo.png', { type: 'image/png' }));
    expect(page.changes()).toEqual([
      { method: 'PUT', path: '/settings/logo', body: { image: btoa('ciao') } },
    ]);
    expect(screen.getByText('Logo salvato.')).toBeInTheDocument();
    await vi.waitFor(() => expect(told).toEqual(['changed']));
    other.close();
  });

  it('that the server refuses is refused in its words, and one that is too heavy never travels', async () => {
    const page = await open('system/look');
    vi.useRealTimers();
    refusal = () => problem(422, 'dati-non-validi', { errors: { image: 'Non è un’immagine.' } });
    await choose(new File(['<svg/>'], 'logo.svg', { type: 'image/svg+xml' }));
    expect(screen.getByRole('alert')).toHaveTextContent('Logo non modificatoNon è un’immagine.');
    const sent = page.changes().length;
    await choose(new File([new Uint8Array(512 * 1024 + 1)], 'logo.png'));
    expect(screen.getByRole('alert')).toHaveTextContent('al massimo 512 KB');
    expect(page.changes()).toHaveLength(sent);
  });

  it('is removed where there is one', async () => {
    const branding = { ...sampleBranding, logoUrl: '/paibeta/logo/abc' };
    const page = await openPage(<SystemPage />, answer, { branding, address: paths.setting('system/look') });
    expect(screen.getByAltText('Logo attuale')).toHaveAttribute('src', '/paibeta/logo/abc');
    await press('Rimuovi il logo');
    expect(page.changes()).toEqual([{ method: 'DELETE', path: '/settings/logo', body: undefined }]);
    expect(screen.getByText('Logo rimosso.')).toBeInTheDocument();
  });
});

describe('a backup', () => {
  const FILE = '{"format":"segnalazioni-backup","reports":[]}';
  const backup = (body: BodyInit | null, status = 200) =>
    new Response(body, {
      status,
      headers: { 'content-disposition': 'attachment; filename="backup_prova_2026-11-21.json"' },
    });
  /** A body whose connection breaks. */
  const broken = () =>
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(FILE.slice(0, -1)));
        controller.error(new TypeError('network error'));
      },
    });
  let file: () => Response;
  let total: number;
  let saved: { href: string; name: string }[];
  const reply = (request: Request) => {
    if (request.path === '/backup') {
      return file();
    }
    return request.path.startsWith('/reports') ? Response.json({ counters: { total } }) : answer(request);
  };

  beforeEach(() => {
    file = () => backup(FILE);
    total = 3;
    saved = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push({ href: this.href, name: this.download });
    });
  });

  it('is saved under the name of the server once it is whole', async () => {
    await openPage(<SystemPage />, reply, { address: paths.setting('system/backup') });
    await press('Crea Backup');
    await vi.waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]).toMatchObject({ name: 'backup_prova_2026-11-21.json' });
    expect(saved[0]?.href).toMatch(/^blob:/);
    await pass(0);
    expect(screen.getByText('Backup creato e scaricato con successo!')).toBeInTheDocument();
  });

  it.each([
    ['cut', () => backup(FILE.slice(0, -1)), 'Il file è arrivato incompleto'],
    ['broken off', () => backup(broken()), 'Connessione assente'],
    ['without a name', () => Response.json({}), 'Il file è arrivato incompleto'],
    ['refused', () => problem(503, 'archivio-sigillato'), 'Fallito: archivio-sigillato'],
  ])('that is %s is not saved, and the reason is told', async (_, made, words) => {
    file = made;
    await openPage(<SystemPage />, reply, { address: paths.setting('system/backup') });
    await press('Crea Backup');
    await vi.waitFor(() => expect(screen.queryByRole('alert')).not.toBeNull());
    expect(screen.getByRole('alert')).toHaveTextContent('Errore durante la creazione del backup');
    expect(screen.getByRole('alert')).toHaveTextContent(words);
    expect(saved).toEqual([]);
  });

  it('of a large archive is left to the browser', async () => {
    total = 100_001;
    await openPage(<SystemPage />, reply, { address: paths.setting('system/backup') });
    await press('Crea Backup');
    expect(saved).toEqual([{ href: expect.stringMatching(/\/paibeta\/api\/backup$/), name: '' }]);
    expect(screen.getByText(/segui il download nel browser/)).toBeInTheDocument();
  });
});
