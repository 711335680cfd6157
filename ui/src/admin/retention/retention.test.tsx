import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExpiringRow, Retention } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { RetentionNotice } from '../common/retention';
import { RetentionStanding } from '../settings/security-pages';
import { openPage, pass } from '../testing/panel-page';
import { RetentionPage } from './retention-page';

let retention: Retention;
let expiring: { data: ExpiringRow[] } | null;

function answer({ path }: Request): Response {
  if (path === '/retention') {
    return Response.json(retention);
  }
  return expiring ? Response.json(expiring) : problem(500, 'errore-interno');
}

beforeEach(() => {
  retention = {
    days: 365,
    warningDays: 14,
    warned: 2,
    next: '2026-12-01T08:00:00Z',
    spared: 3,
    expired: 40,
    erased: 1,
  };
  expiring = {
    data: [
      {
        id: 'a',
        nome: 'Maria',
        cognome: 'Rossi',
        data_creazione: '2025-12-01T08:00:00Z',
        stato: 'Archiviata',
        scadenza: '2026-12-01T08:00:00Z',
      },
    ],
  };
});

describe('what goes by its age', () => {
  it('is told above the list, with a way to it, while there is something', async () => {
    await openPage(<RetentionNotice />, answer);
    expect(screen.getByText(/2 segnalazioni verranno cancellate entro 14 giorni\./)).toHaveTextContent(
      'La prima il 01/12/2026.',
    );
    expect(screen.getByRole('link', { name: 'Mostrale' })).toHaveAttribute('href', '/admin/expiring');
    retention = { ...retention, warned: 1 };
    await pass(61_000);
    expect(screen.getByRole('link', { name: 'Mostrala' })).toBeInTheDocument();
    retention = { ...retention, warned: 0, next: null };
    await pass(61_000);
    expect(screen.queryByRole('link')).toBeNull();
  });

  it('stands in the settings with what stays and what went', async () => {
    await openPage(<RetentionStanding />, answer);
    expect(screen.getByText(/3 segnalazioni più vecchie restano/)).toBeInTheDocument();
    expect(screen.getByText('Cancellate finora: 40 per scadenza, 1 su richiesta.')).toBeInTheDocument();
  });

  it('is listed with its day', async () => {
    await openPage(<RetentionPage />, answer);
    const rows = within(screen.getByRole('list', { name: 'Segnalazioni in scadenza' })).getAllByRole(
      'listitem',
    );
    expect(rows.map((item) => item.textContent)).toEqual([
      'Maria RossiRicevuta il 01/12/2025ArchiviataVerrà cancellata il 01/12/2026',
    ]);
    expect(screen.getByRole('link', { name: 'Maria Rossi' })).toHaveAttribute('href', '/admin/reports/a');
    expect(screen.getByText(/per la durata di conservazione scelta$/)).toBeInTheDocument();
    expiring = { data: [] };
    retention = { ...retention, days: 0 };
    await pass(61_000);
    expect(screen.getByText('Nessuna segnalazione in scadenza')).toBeInTheDocument();
    expect(screen.getByText('Senza una durata di conservazione restano tutte')).toBeInTheDocument();
    expect(screen.queryByText(/durata di conservazione scelta/)).toBeNull();
  });

  it('that cannot be read can be asked for again', async () => {
    expiring = null;
    await openPage(<RetentionPage />, answer);
    expect(screen.getByRole('alert')).toHaveTextContent('Fallito: errore-interno');
    expect(screen.getByRole('button', { name: 'Riprova' })).toBeInTheDocument();
  });
});
