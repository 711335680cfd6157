/** How an installation stands, as the server tells it. */
import type { Backups, Examination, Theme } from '../../shared/api/schema';

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
    overdue: false,
    rehearsal: { at, ok: true, message: null, opened: true },
    alarming: false,
    files: [last],
  };
}

/** What becomes of a main colour that reads well on white. */
export function samplePalette(primary: string): Theme {
  return {
    primary,
    onPrimary: '#ffffff',
    contrast: 5.17,
    light: {
      primaryText: primary,
      focus: primary,
      contrast: 4.69,
      surfaces: ['#f6f7f9', '#ffffff', '#eef0f4'],
    },
    dark: {
      primaryText: '#5c8dff',
      focus: primary,
      contrast: 4.5,
      surfaces: ['#0f1216', '#171b21', '#232a33'],
    },
  };
}

/** What the server answers to whoever asks how it stands; undefined for every other question. */
export function installationAnswer(path: string): Response | undefined {
  if (path.startsWith('/settings/palette?')) {
    return Response.json(samplePalette(new URLSearchParams(path.split('?')[1]).get('color') ?? ''));
  }
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
