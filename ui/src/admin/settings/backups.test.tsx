import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Backups } from '../../shared/api/schema';
import { problem } from '../../shared/testing/server';
import { BackupBanner } from '../shell/banners';
import { openPage, pass, status } from '../testing/panel-page';
import { sampleBackups } from '../testing/sample-installation';
import { ServerBackups } from './backups';

let told: Backups;
let refused: boolean;

beforeEach(() => {
  told = sampleBackups();
  refused = false;
});

const answer = () => (refused ? problem(500, 'errore-interno') : Response.json(told));
const late = (): Backups => ({ ...sampleBackups(), overdue: true, alarming: true });
const incomplete = (): Backups => ({
  ...sampleBackups(),
  incomplete: { at: '2026-11-21T08:05:00Z', message: '1 allegato manca' },
  alarming: true,
});
const failed = (): Backups => ({
  ...sampleBackups(),
  rehearsal: { at: '2026-11-20T08:05:00Z', ok: false, message: 'non si apre', opened: null },
  alarming: true,
});

describe('the backups of the server', () => {
  it('show the newest, the rehearsal and what is kept', async () => {
    told.files = [
      ...told.files,
      { name: 'b', at: '2026-11-13T08:05:00Z', bytes: 4000, good: null },
      { name: 'c', at: '2026-11-06T08:05:00Z', bytes: 4000, good: false },
    ];
    await openPage(<ServerBackups />, answer);
    expect(screen.getByText('Ultimo riuscito').nextSibling).toHaveTextContent(
      '20/11/2026 09:05, 12,3 MB, verificato',
    );
    expect(screen.getByText('Prova di ripristino').nextSibling).toHaveTextContent(
      'Riuscita il 20/11/2026 09:05',
    );
    expect(screen.getByText('3 backup conservati sul server')).toBeInTheDocument();
    const words = screen.getAllByRole('listitem', { hidden: true }).map((row) => row.textContent);
    expect(words[0]).toContain('Integro');
    expect(words[1]).toMatch(/0,1 MB.*Non ancora verificato/);
    expect(words[2]).toContain('Danneggiato');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('say of a trial without opened reports what it was', async () => {
    told = { ...told, rehearsal: { at: '2026-11-20T08:05:00Z', ok: true, message: null, opened: false } };
    await openPage(<ServerBackups />, answer);
    expect(screen.getByText('Prova di ripristino').nextSibling).toHaveTextContent(
      'Fatta in parte il 20/11/2026 09:05: struttura verificata, contenuti non aperti (modalità sigillata)',
    );
    expect(screen.queryByText(/Riuscita/)).toBeNull();
  });

  it.each([
    ['late', late, 'è più vecchio di quanto chiede'],
    ['not to be gone back to', failed, 'La prova di ripristino è fallita: non si apre.'],
    [
      'failing',
      () => ({ ...sampleBackups(), lastError: { at: '2026-11-21T08:05:00Z', message: 'disco pieno' } }),
      'è fallito: disco pieno. Il server riprova ogni ora.',
    ],
    ['without some files', incomplete, '1 allegato manca. Rilevato il 21/11/2026 09:05.'],
  ])('that are %s are said so', async (_, backups, words) => {
    told = backups();
    await openPage(<ServerBackups />, answer);
    expect(screen.getByRole('alert')).toHaveTextContent('I backup non sono in ordine');
    expect(screen.getByRole('alert')).toHaveTextContent(words);
    expect(screen.queryByText(/ultimo tentativo/) === null).toBe(told.lastError === null);
  });

  it('explain themselves where there are none, and why they could not be read', async () => {
    told = { ...told, last: null, rehearsal: null, files: [] };
    const page = await openPage(<ServerBackups />, answer);
    expect(screen.getByText('Ultimo riuscito').nextSibling).toHaveTextContent('Nessuno');
    expect(screen.getByText('Prova di ripristino').nextSibling).toHaveTextContent('Non ancora fatta');
    page.close();
    refused = true;
    await openPage(<ServerBackups />, answer);
    expect(screen.getByRole('alert')).toHaveTextContent('Non è stato possibile leggere lo stato dei backup');
  });
});

describe('the banner of the backups', () => {
  it('stands while somebody must do something, and goes by itself', async () => {
    told = late();
    await openPage(<BackupBanner />, answer);
    const banner = status();
    expect(banner).toHaveTextContent('L’ultimo backup riuscito è troppo vecchio. Vai ai backup');
    expect(within(banner).getByRole('link')).toHaveAttribute('href', '/admin/settings/system/backup');
    told = failed();
    await pass(60_100);
    expect(banner).toHaveTextContent('La prova di ripristino dell’ultimo backup è fallita.');
    told = incomplete();
    await pass(60_100);
    expect(banner).toHaveTextContent('Nella cartella dei dati mancano file di allegati.');
    told = sampleBackups();
    await pass(60_100);
    expect(banner).toBeEmptyDOMElement();
  });
});
