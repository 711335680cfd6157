import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPage } from '../testing/panel-page';
import { installationAnswer } from '../testing/sample-installation';
import { sampleSystem } from '../testing/sample-settings';
import { SystemPage } from './system-page';

let abandonedReports: number;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const answer = ({ path }: { path: string }): Response => {
  if (path === '/security/sealed') {
    return Response.json({ sealed: false, complete: true, abandonedReports });
  }
  if (path === '/system') {
    return Response.json({
      database: 'online',
      version: '9.8.7',
      commit: 'abcdef1',
      built: '2026-11-20T08:05:00Z',
    });
  }
  return installationAnswer(path) ?? Response.json(sampleSystem());
};

describe('the card of the backups', () => {
  it.each([
    [1, 'Una segnalazione rimasta chiusa non sarà nel file'],
    [1200, '1.200 segnalazioni rimaste chiuse non saranno nel file'],
  ])('says beforehand what the file cannot hold (%i)', async (count, title) => {
    abandonedReports = count;
    await openPage(<SystemPage />, answer);
    expect(screen.getByText(title)).toBeInTheDocument();
    expect(screen.getByText(/codice di recupero di allora/)).toBeInTheDocument();
  });

  it('says nothing where it holds all', async () => {
    abandonedReports = 0;
    await openPage(<SystemPage />, answer);
    expect(screen.getByRole('button', { name: 'Crea Backup' })).toBeInTheDocument();
    expect(screen.queryByText(/nel file$/)).toBeNull();
  });
});
