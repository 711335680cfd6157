import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { System } from '../../shared/api/schema';
import { type Answer, openPage, pass, problem, type Request } from '../testing/panel-page';
import { sampleSystem } from '../testing/sample-settings';
import { SystemPage } from './system-page';

let system: System;
let refusal: Answer | null;
let database: string;

function answer(request: Request): Response {
  const { method, path, body } = request;
  if (refusal && method !== 'GET') {
    return refusal(request);
  }
  if (path === '/status') {
    return Response.json({ database, version: '9.8.7' });
  }
  if (method === 'DELETE') {
    return new Response(null, { status: 204 });
  }
  if (method === 'PUT') {
    system = { ...system, ...(body as Partial<System>) };
  }
  return Response.json(system);
}

beforeEach(() => {
  vi.useFakeTimers();
  system = sampleSystem();
  refusal = null;
  database = 'online';
});

afterEach(() => {
  vi.useRealTimers();
});

const open = () => openPage(<SystemPage />, answer);
const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = async (name: string) => {
  fireEvent.click(screen.getByRole('button', { name }));
  await pass(0);
};

describe('the system settings', () => {
  it('save names and colour, and tell the other tabs', async () => {
    const told: unknown[] = [];
    const other = new BroadcastChannel('segnalazioni-aspetto');
    other.onmessage = (event: MessageEvent) => told.push(event.data);
    const page = await open();
    type('Nome della redazione', 'La Voce');
    type('Colore principale', '#FFD400');
    await press('Salva Modifiche');
    expect(page.changes()[0]?.body).toEqual({ organizationName: 'La Voce', primaryColor: '#FFD400' });
    expect(screen.getByText('Impostazioni di sistema salvate con successo!')).toBeInTheDocument();
    await vi.waitFor(() => expect(told).toEqual(['changed']));
    other.close();
  });

  it('preview the colour in both themes, as far as it is one', async () => {
    await open();
    type('Colore principale', '#ffd400');
    const preview = within(screen.getByRole('region', { name: 'Anteprima del colore' }));
    expect(preview.getByText(/^#826b00/)).toHaveTextContent('#826b00, 4,5:1');
    expect(preview.getByText(/^#ffd400/)).toHaveTextContent('#ffd400, 10,1:1');
    expect(preview.getByText(/Sul colore il testo è nero: contrasto 14,6:1/)).toBeInTheDocument();
    type('Colore principale', '#ffd4');
    expect(screen.queryByRole('region', { name: 'Anteprima del colore' })).toBeNull();
  });

  it('preview the notice as it is typed', async () => {
    await open();
    type('Testo', 'Un’altra informativa.');
    const preview = within(screen.getByRole('region', { name: 'Anteprima dell’informativa' }));
    expect(preview.getByText('Un’altra informativa.')).toBeInTheDocument();
    expect(preview.queryByText('Leggi l’informativa completa')).toBeNull();
    type('Collegamento all’informativa completa', 'https://esempio.example');
    expect(preview.getByText('Leggi l’informativa completa')).toBeInTheDocument();
  });

  it.each([
    ['online', 'Produzione'],
    ['demo', 'Demo'],
    ['unavailable', 'Produzione'],
  ])('tell what is true of the program: %s is %s', async (state, environment) => {
    database = state;
    await open();
    expect(screen.getByText('Versione').nextSibling).toHaveTextContent('9.8.7');
    expect(screen.getByText('Ambiente').nextSibling).toHaveTextContent(environment);
  });

  it('go back to their defaults once asked twice, and load the page anew', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
    const page = await open();
    type('Nome della redazione', 'La Voce');
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
    expect(screen.getByLabelText('Nome della redazione')).toHaveValue('La Voce');
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
