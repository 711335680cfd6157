import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Alerts, Sieges, Trust } from '../../shared/api/schema';
import { openPage, pass, status } from '../testing/panel-page';
import {
  AttachmentsBanner,
  AuthenticityBanner,
  DiskBanner,
  DroppedFilesBanner,
  MailSecretBanner,
  NewBrowserBanner,
  ReplicaBanner,
  SiegeBanner,
} from './banners';

let told: Alerts;

beforeEach(() => {
  told = {
    disk: 'ok',
    freeBytes: 5_000_000_000,
    attachmentsNearlyFull: false,
    attachmentsDropped: false,
    newBrowser: null,
    mailSecret: null,
    replica: null,
    opening: [],
  };
});

describe('the banner of attachments', () => {
  it('warns while their room is nearly taken', async () => {
    await openPage(<AttachmentsBanner />, () => Response.json(told));
    expect(status()).toBeEmptyDOMElement();
    told = { ...told, attachmentsNearlyFull: true };
    await pass(60_000);
    expect(status()).toHaveTextContent('Lo spazio per gli allegati è quasi esaurito');
  });
});

describe('the banner of dropped files', () => {
  it('tells administrators that files had to go', async () => {
    await openPage(<DroppedFilesBanner />, () => Response.json(told));
    expect(status()).toBeEmptyDOMElement();
    told = { ...told, attachmentsDropped: true };
    await pass(60_000);
    expect(status()).toHaveTextContent('scartati prima dell’invio');
  });
});

describe('the banner of the disk', () => {
  it('warns while there is little room, and says when reports are refused', async () => {
    await openPage(<DiskBanner />, () => Response.json(told));
    expect(status()).toBeEmptyDOMElement();
    told = { ...told, disk: 'low', freeBytes: 412_345_678 };
    await pass(60_000);
    expect(status()).toHaveTextContent('quasi pieno: restano 412 MB.');
    told = { ...told, disk: 'full', freeBytes: 60_000_000 };
    await pass(60_000);
    expect(status()).toHaveTextContent('le nuove segnalazioni vengono rifiutate');
  });
});

describe('the banner of the mail secret', () => {
  it('says when it ends, and that it has ended', async () => {
    await openPage(<MailSecretBanner />, () => Response.json(told));
    expect(status()).toBeEmptyDOMElement();
    told = { ...told, mailSecret: { on: '2026-03-24', past: false } };
    await pass(60_000);
    expect(status()).toHaveTextContent('le email scade il 24/03/2026');
    told = { ...told, mailSecret: { on: '2026-03-09', past: true } };
    await pass(60_000);
    expect(status()).toHaveTextContent('le email è scaduto il 09/03/2026');
    const link = screen.getByRole('link', { name: 'Vai al server di posta' });
    expect(link).toHaveAttribute('href', '/admin/settings/email/mail-server#smtpPassword');
  });
});

describe('the banner of the replica', () => {
  it('says what is wrong with it, and nothing where all is well', async () => {
    await openPage(<ReplicaBanner />, () => Response.json(told));
    expect(status()).toBeEmptyDOMElement();
    for (const [fault, words] of [
      ['in-ritardo', 'non si aggiorna da più di dieci minuti'],
      ['non-verificata', 'il deposito della copia di riserva non risponde'],
      ['sostituita', 'Un’altra macchina ha preso il posto di questa'],
    ] as const) {
      told = { ...told, replica: fault };
      await pass(60_000);
      expect(status()).toHaveTextContent(words);
    }
    expect(screen.getByRole('link', { name: 'Vai allo stato del sistema' })).toBeVisible();
  });
});

describe('the banner of a new browser', () => {
  it('stands until it was seen', async () => {
    told = { ...told, newBrowser: '2026-03-10T09:01:00Z' };
    const page = await openPage(<NewBrowserBanner />, ({ method }) => {
      if (method === 'DELETE') {
        told = { ...told, newBrowser: null };
        return new Response(null, { status: 204 });
      }
      return Response.json(told);
    });
    const banner = status();
    expect(banner).toHaveTextContent('Accesso da un nuovo browser il 10/03/2026 10:01.');
    fireEvent.click(screen.getByRole('button', { name: 'Ho visto' }));
    await pass(0);
    expect(page.changes()).toEqual([
      { method: 'DELETE', path: '/system/alerts/new-browser', body: undefined },
    ]);
    expect(banner).toBeEmptyDOMElement();
  });
});

describe('the banner of the authenticity', () => {
  it('says that nothing is sent until an editor confirms where it goes', async () => {
    let state: Trust = 'da-confermare';
    const page = await openPage(<AuthenticityBanner />, ({ method }) => {
      state = method === 'POST' ? 'integro' : state;
      return Response.json({ state });
    });
    const told = screen.getByText(/email e webhook sono fermi/);
    expect(told).toHaveTextContent(
      'Controlla server di posta, destinatari, reparti e webhook, poi confermali.',
    );
    fireEvent.click(screen.getByRole('button', { name: 'Conferma gli indirizzi' }));
    await pass(100);
    expect(page.changes().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /system/authenticity',
    ]);
    expect(told).not.toBeInTheDocument();
  });

  it('says what the operator can do where something else changed them', async () => {
    await openPage(<AuthenticityBanner />, () => Response.json({ state: 'alterato' }));
    const told = screen.getByText(/modificate fuori dal programma/);
    expect(told).toHaveTextContent('segnalazioni reset-password');
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('the banner of a siege', () => {
  it('says what is done meanwhile, and goes with it', async () => {
    const began = '2026-03-10T09:00:00Z';
    const none = { restored: 0, archived: 0, erased: 0 };
    const now = {
      began,
      ended: null,
      cause: 'raffica',
      reports: 2000,
      setAside: 1234,
      mailsSpared: 1999,
      ...none,
    };
    let sieges = { siege: true, data: [now], aside: 1234, upTo: 9, groups: [] } as Sieges;
    await openPage(<SiegeBanner />, () => Response.json(sieges));
    const banner = status();
    expect(banner).toHaveTextContent(
      'raggruppate (risparmiate: 1.999). Copie messe da parte: 1.234. Finisce da sola.',
    );
    expect(screen.getByRole('link', { name: 'Vai alle segnalazioni' })).toBeVisible();
    sieges = { ...sieges, siege: false };
    await pass(60_000);
    expect(banner).toBeEmptyDOMElement();
  });
});
