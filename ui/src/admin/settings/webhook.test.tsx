import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SystemSettings } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { paths } from '../common/paths';
import { openPage, pass, press, type } from '../testing/panel-page';
import { installationAnswer } from '../testing/sample-installation';
import { sampleSystem } from '../testing/sample-settings';
import { SystemPage } from './system-pages';

let system: SystemSettings;
let failing: boolean;
let unreadable: boolean;
let refused: Record<string, string> | null;
let verdict: { success: boolean; message: string };

function answer({ method, path, body }: Request): Response {
  const installation = installationAnswer(path);
  if (installation) {
    return installation;
  }
  if (unreadable && method === 'GET') {
    return problem(503, 'non-disponibile');
  }
  if (failing && method !== 'GET') {
    return problem(500, 'errore-interno');
  }
  if (path === '/settings/webhook/test') {
    if (refused) {
      return problem(422, 'dati-non-validi', { detail: 'Non validi.', errors: refused });
    }
    return Response.json(verdict);
  }
  if (path === '/settings/webhook/secret') {
    system = { ...system, webhookSecretSet: method === 'POST' };
    return method === 'POST'
      ? Response.json({ secret: 'whsec_bnVvdmE=' })
      : new Response(null, { status: 204 });
  }
  if (method === 'PUT') {
    const { webhookApiKey, ...rest } = body as Partial<SystemSettings>;
    const keySet = webhookApiKey == null ? system.webhookApiKeySet : webhookApiKey !== '';
    const moved = rest.webhookUrl !== undefined && rest.webhookUrl !== system.webhookUrl;
    system = { ...system, ...(moved ? { webhookSecretSet: false } : {}) };
    system = { ...system, ...rest, webhookApiKey: null, webhookApiKeySet: keySet ?? false };
  }
  return Response.json(system);
}

beforeEach(() => {
  failing = false;
  unreadable = false;
  refused = null;
  verdict = { success: true, message: 'Webhook testato con successo! Risposta ricevuta.' };
  system = sampleSystem();
});

const open = () => openPage(<SystemPage />, answer, { address: paths.setting('system/webhook') });
const card = () => within(document.body);
const save = async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
  await pass(0);
};

describe('the webhook', () => {
  it('is saved with its key, which is then only known to be there', async () => {
    const page = await open();
    fireEvent.click(card().getByRole('switch', { name: 'Webhook attivo' }));
    type('Indirizzo del webhook', 'https://esempio.example/hook');
    type('Chiave API', 'segreta');
    fireEvent.change(card().getByLabelText('Che cosa inviare'), { target: { value: 'thin' } });
    await save();
    expect(page.changes()[0]?.body).toEqual({
      enableWebhook: true,
      webhookUrl: 'https://esempio.example/hook',
      webhookApiKey: 'segreta',
      webhookPayload: 'thin',
    });
    expect(card().getByLabelText('Chiave API')).toHaveValue('');
    expect(card().getByLabelText('Chiave API')).toHaveAccessibleDescription(/Impostata/);
    type('Indirizzo del webhook', 'https://altrove.example/hook');
    expect(card().getByText(/la chiave e la firma salvate vengono cancellate/)).toBeInTheDocument();
    fireEvent.click(card().getByRole('button', { name: 'Chiave API: rimuovi' }));
    await save();
    expect(page.changes()[1]?.body).toEqual({
      webhookUrl: 'https://altrove.example/hook',
      webhookApiKey: '',
    });
    expect(card().getByLabelText('Chiave API')).not.toHaveAccessibleDescription(/Impostata/);
  });

  it('is tried as it stands in the form, and says in words how it went', async () => {
    const page = await open();
    const button = card().getByRole('button', { name: 'Test Webhook' });
    expect(button).toHaveAttribute('aria-disabled', 'true');
    await press('Test Webhook');
    expect(page.changes()).toEqual([]);
    type('Indirizzo del webhook', 'https://esempio.example/hook');
    await press('Test Webhook');
    expect(page.changes()).toEqual([
      {
        method: 'POST',
        path: '/settings/webhook/test',
        body: { webhookUrl: 'https://esempio.example/hook', webhookApiKey: null, webhookPayload: 'full' },
      },
    ]);
    expect(card().getByText('Webhook testato con successo! Risposta ricevuta.')).toBeInTheDocument();
    verdict = { success: false, message: 'HTTP 500: Internal Server Error' };
    await press('Test Webhook');
    expect(card().getByRole('alert')).toHaveTextContent(
      'Errore durante il test webhookHTTP 500: Internal Server Error',
    );
    failing = true;
    await press('Test Webhook');
    expect(card().getByRole('alert')).toHaveTextContent('Fallito: errore-interno');
  });

  it('says at the field what a test did not accept', async () => {
    refused = { webhookUrl: 'Indirizzo non valido: deve iniziare con https://.' };
    await open();
    type('Indirizzo del webhook', 'http://esempio.example/hook');
    await press('Test Webhook');
    const field = card().getByLabelText('Indirizzo del webhook');
    expect(field).toHaveAccessibleDescription(/Indirizzo non valido: deve iniziare con https/);
    expect(field).toBeInvalid();
    expect(card().getByRole('alert')).toHaveTextContent(
      'Errore durante il test webhookNon validi. Indirizzo non valido: deve iniziare con https://.',
    );
    type('Indirizzo del webhook', 'https://esempio.example/hook');
    await pass(0);
    expect(field).toBeValid();
  });

  it('gets a signing key that is shown once', async () => {
    await open();
    await press('Genera una chiave di firma');
    expect(card().getByText('whsec_bnVvdmE=')).toBeInTheDocument();
    expect(card().getByText(/^Attiva:/)).toBeInTheDocument();
    await press('Ho finito');
    expect(card().queryByText('whsec_bnVvdmE=')).toBeNull();
    expect(card().getByRole('region', { name: 'Firma delle chiamate' })).toHaveFocus();
  });

  it('gets no signing key for an address that is not saved: the next save would drop it', async () => {
    const page = await open();
    type('Indirizzo del webhook', 'https://esempio.example/hook');
    const button = card().getByRole('button', { name: 'Genera una chiave di firma' });
    expect(button).toHaveAttribute('aria-disabled', 'true');
    expect(button).toHaveAccessibleDescription(/^Prima salva l’indirizzo/);
    await press('Genera una chiave di firma');
    expect(page.changes()).toEqual([]);
    await save();
    expect(button).not.toHaveAttribute('aria-disabled');
    expect(button).not.toHaveAccessibleDescription();
    await press('Genera una chiave di firma');
    expect(card().getByText('whsec_bnVvdmE=')).toBeInTheDocument();
  });

  it('no longer shows a signing key that a save with another address has dropped', async () => {
    await open();
    await press('Genera una chiave di firma');
    type('Indirizzo del webhook', 'https://altrove.example/hook');
    expect(card().getByText('whsec_bnVvdmE=')).toBeInTheDocument();
    await save();
    expect(card().getByText(/^Non attiva/)).toBeInTheDocument();
    expect(card().queryByText('whsec_bnVvdmE=')).toBeNull();
  });

  it('shows its new key even when the settings cannot be read again', async () => {
    await open();
    unreadable = true;
    await press('Genera una chiave di firma');
    expect(card().getByText('whsec_bnVvdmE=')).toBeInTheDocument();
  });

  it('forgets a key with its signature: one made elsewhere later is another', async () => {
    await open();
    await press('Genera una chiave di firma');
    await press('Togli la firma');
    await press('Togli', screen.getByRole('dialog'));
    expect(card().getByText(/^Non attiva/)).toBeInTheDocument();
    system = { ...system, webhookSecretSet: true };
    fireEvent.click(card().getByRole('switch', { name: 'Webhook attivo' }));
    await save();
    expect(card().getByText(/^Attiva/)).toBeInTheDocument();
    expect(card().queryByText('whsec_bnVvdmE=')).toBeNull();
  });

  it('gets another one, or none, only when asked twice', async () => {
    system = { ...system, webhookSecretSet: true };
    const page = await open();
    await press('Genera un’altra chiave');
    const dialog = () => screen.getByRole('dialog');
    expect(dialog()).toHaveTextContent(/Per 24 ore/);
    await press('Annulla', dialog());
    expect(page.changes()).toEqual([]);
    await press('Genera un’altra chiave');
    await press('Genera', dialog());
    expect(page.changes()).toHaveLength(1);
    await press('Togli la firma');
    await press('Togli', dialog());
    expect(page.changes()[1]).toMatchObject({ method: 'DELETE', path: '/settings/webhook/secret' });
    expect(card().getByText('Le chiamate non sono più firmate.')).toBeInTheDocument();
    expect(card().queryByText('whsec_bnVvdmE=')).toBeNull();
    failing = true;
    await press('Genera una chiave di firma');
    expect(card().getByRole('alert')).toHaveTextContent('Chiave di firma non modificata');
  });
});
