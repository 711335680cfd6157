import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { problem, type Request } from '../../shared/testing/server';
import { ADVANCED, SECTIONS, TITLES } from '../common/settings-pages';
import { openPage } from '../testing/panel-page';
import { sampleBackups } from '../testing/sample-installation';
import { sampleEmail, sampleSecurity, sampleSystem } from '../testing/sample-settings';
import { SettingsIndex } from './index-page';

let email: ReturnType<typeof sampleEmail>;
let broken: string;

function answer({ path }: Request): Response {
  const known: Record<string, unknown> = {
    '/settings/email': email,
    '/settings/security': sampleSecurity(),
    '/settings/system': sampleSystem(),
    '/system/backups': sampleBackups(),
    '/security/sealed': { sealed: false, complete: true },
    '/people': { data: [] },
    '/sieges': { siege: false, data: [], aside: 0, upTo: 0, groups: [] },
  };
  return path === broken ? problem(500, 'errore-interno') : Response.json(known[path]);
}

beforeEach(() => {
  email = sampleEmail();
  broken = '';
});

const stateOf = (title: string) => screen.getByRole('link', { name: title }).closest('li')?.textContent;

describe('the index of the settings', () => {
  it('names every page once, what locks people out last and folded away', async () => {
    await openPage(<SettingsIndex />, answer);
    const shown = [...SECTIONS.map(({ pages }) => pages), ADVANCED].flatMap((pages) => Object.keys(pages));
    expect(shown.toSorted()).toEqual(Object.keys(TITLES).toSorted());
    expect(Object.keys(ADVANCED).at(-1)).toBe('security/sealed');
    const folded = screen.getByRole('list', { name: 'Avanzate', hidden: true });
    expect(folded.closest('details')).not.toHaveAttribute('open');
    expect(within(folded).getByText('Modalità sigillata')).toBeInTheDocument();
  });

  it('says of each how it stands', async () => {
    await openPage(<SettingsIndex />, answer);
    expect(screen.queryByText('…')).toBeNull();
    expect(stateOf('Chi riceve le segnalazioni')).toMatch(/1 destinatario$/);
    expect(stateOf('Accesso al pannello')).toMatch(/1 avviso$|2 avvisi$/);
    expect(stateOf('Backup')).toMatch(/Ogni settimana, ultimo 20\/11\/2026$/);
    expect(stateOf('Stato del sistema')).toMatch(/Da controllare$/);
  });

  it('says what is missing', async () => {
    email = sampleEmail({ emailRecipient: '', smtpHost: '' });
    await openPage(<SettingsIndex />, answer);
    expect(stateOf('Chi riceve le segnalazioni')).toMatch(/Manca il destinatario$/);
    expect(stateOf('Server di posta')).toMatch(/Da configurare$/);
  });

  it('says so when something cannot be read, and leads on all the same', async () => {
    broken = '/settings/email';
    await openPage(<SettingsIndex />, answer);
    expect(screen.getByRole('alert')).toHaveTextContent('Non è stato possibile leggere');
    expect(stateOf('Reparti')).toMatch(/…$/);
    expect(stateOf('Nomi')).not.toMatch(/…$/);
  });
});
