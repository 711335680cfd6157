/** How an installation stands, as the server tells it. */
import type { Backups, Examination } from '../../shared/api/schema';

/** Just examined: one thing to look at. */
export function sampleExamination(): Examination {
  return {
    at: new Date().toISOString(),
    worst: 'attenzione',
    checks: [
      { name: 'archivio', state: 'ok', message: 'integro, 3 segnalazioni, versione dello schema 6' },
      { name: 'server di posta', state: 'attenzione', message: 'non configurato' },
    ],
  };
}

/** One good backup, gone back to. */
export function sampleBackups(): Backups {
  const at = '2026-11-20T08:05:00Z';
  const last = { name: 'segnalazioni-20261120T080500Z.backup', at, bytes: 12_300_000, good: true };
  return {
    frequency: 'weekly',
    last,
    lastError: null,
    incomplete: null,
    overdue: false,
    rehearsal: { at, ok: true, message: null, opened: true },
    alarming: false,
    files: [last],
  };
}

/** The server's answers about its own state; undefined for every other path. */
export function installationAnswer(path: string): Response | undefined {
  switch (path) {
    case '/system':
      return Response.json({
        database: 'online',
        version: '1',
        commit: 'abcdef1',
        built: '2026-11-20T08:05:00Z',
      });
    case '/system/doctor':
      return Response.json(sampleExamination());
    case '/system/authenticity':
      return Response.json({ state: 'integro' });
    case '/system/backups':
      return Response.json(sampleBackups());
    default:
      return undefined;
  }
}
