import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeliveryOfReport, DeliverySummary } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { DeliveryBanner } from '../shell/banners';
import { openPage, pass, press, status } from '../testing/panel-page';
import { sampleEmail } from '../testing/sample-settings';
import { sampleDelivery } from '../testing/samples';
import { DeliveriesPage } from './deliveries-page';

let data: DeliveryOfReport[];
let nextCursor: string | null;
let failing: boolean;
let mailLacks: DeliverySummary['mailLacks'];
let refusal: (() => Response) | null;

const count = (stato: string) => data.filter((delivery) => delivery.stato === stato).length;

function answer({ method, path }: Request): Response {
  if (refusal) {
    return refusal();
  }
  const counters = {
    pending: count('in attesa'),
    retrying: data.filter(({ stato, ultimoErrore }) => stato === 'in attesa' && ultimoErrore).length,
    failed: count('fallita'),
    delivered: count('consegnata'),
    ignored: count('ignorata'),
  };
  const summary = { counters, failing, undelivered: counters.failed, mailLacks };
  if (path.endsWith('/ignore')) {
    const id = Number(path.split('/')[2]);
    const put = (one: DeliveryOfReport) =>
      one.stato === 'fallita' && (Number.isNaN(id) || one.id === id)
        ? { ...one, stato: 'ignorata' as const }
        : one;
    const changed = data.filter((one) => put(one) !== one).length;
    data = data.map(put);
    return Response.json({ ...data[0], changed });
  }
  if (method === 'POST') {
    const failed = data.filter(({ stato }) => stato === 'fallita');
    data = data.map(
      (delivery) => ({ ...delivery, stato: 'in attesa', ultimoErrore: null }) as DeliveryOfReport,
    );
    return Response.json(path === '/deliveries/retry' ? { changed: failed.length } : data[0]);
  }
  if (path === '/settings/email') {
    return Response.json(sampleEmail({ dept_sanita_email: 'uno@esempio.example, Due@esempio.example' }));
  }
  return Response.json(path === '/deliveries/summary' ? summary : { data, nextCursor, ...summary });
}

beforeEach(() => {
  vi.setSystemTime('2026-11-21T10:00:00Z');
  refusal = null;
  nextCursor = null;
  failing = true;
  mailLacks = [];
  data = [
    sampleDelivery({ id: 3, stato: 'fallita', tentativi: 76, ultimoErrore: 'La casella non esiste.' }),
    sampleDelivery({
      id: 2,
      tipo: 'webhook',
      destinatario: 'https://esempio.example/gancio',
      tentativi: 1,
      ultimoErrore: 'Timeout.',
      prossimoTentativo: '2026-11-21T10:30:00Z',
    }),
    sampleDelivery({ id: 1, stato: 'consegnata', tentativi: 1, conclusa: '2026-11-21T09:00:05Z' }),
  ];
});

const open = (address = '/admin/deliveries') => openPage(<DeliveriesPage />, answer, { address });
const entries = () => within(screen.getByRole('list', { name: /^Consegne: / })).getAllByRole('listitem');

describe('the deliveries', () => {
  it('say where each went, what became of it, why, and when it is tried again', async () => {
    await open();
    expect(screen.getByText('0 in attesa · 1 in errore · 1 fallita · 1 consegnata')).toBeInTheDocument();
    const [failed, waiting, arrived] = entries();
    expect(failed).toHaveTextContent(
      /^FallitaEmail a redazione@esempio.example.*76 tentativi.*La casella non esiste\./,
    );
    expect(waiting).toHaveTextContent(
      /^In erroreWebhook a https:.*1 tentativo · prossimo tentativo 21\/11\/2026 11:30.*Timeout\./,
    );
    expect(arrived).toHaveTextContent(/^ConsegnataEmail a .*arrivata 21\/11\/2026 10:00$/);
    expect(within(arrived as HTMLElement).queryByRole('button')).toBeNull();
    expect(within(failed as HTMLElement).getByRole('link')).toHaveAttribute(
      'href',
      '/admin/settings/email/mail-server',
    );
    expect(within(waiting as HTMLElement).getByRole('link')).toHaveAttribute(
      'href',
      '/admin/settings/system/webhook',
    );
    expect(screen.getByRole('link', { name: 'Giulia Ferraro' })).toHaveAttribute(
      'href',
      '/admin/reports/0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11',
    );
    expect(
      screen.getByText(/^email fallita a .*, webhook in errore a .*, email consegnata a /),
    ).toBeInTheDocument();
  });

  it('say so where the settings gave no address', async () => {
    const lacking = { id: 5, stato: 'fallita', destinatario: '', ultimoErrore: 'Manca.' } as const;
    data = [sampleDelivery(lacking)];
    await open();
    expect(entries()[0]).toHaveTextContent(/^FallitaEmail a un indirizzo che manca.*Manca\./);
  });

  it.each([
    ["L'invio automatico delle email è disattivato. Attivalo.", 'tre@esempio.example', 'recipients'],
    ['La casella del destinatario non esiste (codice 550, 5.1.1).', 'tre@esempio.example', 'recipients'],
    [
      'Il server di posta rifiuta mittente o destinatario (codice 550).',
      'due@esempio.example',
      'departments',
    ],
    ['Il server di posta rifiuta nome utente o password.', 'due@esempio.example', 'mail-server'],
  ])('lead to the page that mends it: %s, %s', async (ultimoErrore, destinatario, page) => {
    data = [sampleDelivery({ id: 5, stato: 'fallita', destinatario, ultimoErrore })];
    await open();
    await pass(0);
    expect(within(entries()[0] as HTMLElement).getByRole('link')).toHaveAttribute(
      'href',
      `/admin/settings/email/${page}`,
    );
  });

  it('are tried again one by one, or all that failed', async () => {
    const page = await open();
    await press('Riprova Email a redazione@esempio.example');
    expect(page.changes().map(({ path }) => path)).toEqual(['/deliveries/3/retry']);
    await pass(10);
    expect(screen.getByRole('list', { name: /^Consegne: / })).toHaveFocus();
    expect(screen.getByText('Nuovo tentativo in corso.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Riprova tutte' })).toBeNull();
    data = [3, 4].map((id) => sampleDelivery({ id, stato: 'fallita', ultimoErrore: 'No.' }));
    await pass(5100);
    fireEvent.click(screen.getByRole('button', { name: 'Riprova tutte' }));
    await pass(0);
    expect(page.changes().at(-1)?.path).toBe('/deliveries/retry');
    expect(screen.getByText('2 consegne vengono ritentate.')).toBeInTheDocument();
  });

  it('are put away for good once that is confirmed', async () => {
    const page = await open();
    const name = 'Email a redazione@esempio.example';
    fireEvent.click(screen.getByRole('button', { name: `Ignora ${name}` }));
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Annulla' }));
    await pass(0);
    expect(page.changes()).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: `Ignora ${name}` }));
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Ignora' }));
    await pass(0);
    expect(page.changes().map(({ path }) => path)).toEqual(['/deliveries/3/ignore']);
    expect(screen.getByText('Consegna ignorata.')).toBeInTheDocument();
    expect(
      screen.getByText('0 in attesa · 1 in errore · 0 fallite · 1 consegnata · 1 ignorata'),
    ).toBeInTheDocument();
    const [ignored] = entries();
    expect(ignored).toHaveTextContent(/^Ignorata.*La casella non esiste\.$/);
    expect(within(ignored as HTMLElement).queryByRole('button')).toBeNull();
  });

  it('are put away with all that failed for the same address', async () => {
    data = [3, 4].map((id) => sampleDelivery({ id, stato: 'fallita', ultimoErrore: 'No.' }));
    const page = await open();
    fireEvent.click(screen.getAllByRole('button', { name: /^Ignora / })[0] as HTMLElement);
    fireEvent.click(screen.getByLabelText(/^Ignora tutte le consegne fallite/));
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Ignora' }));
    await pass(0);
    expect(page.changes().at(-1)).toMatchObject({
      path: '/deliveries/ignore',
      body: { tipo: 'email', destinatario: 'redazione@esempio.example' },
    });
    expect(screen.getByText('2 consegne ignorate.')).toBeInTheDocument();
  });

  it('say that mail is switched on and cannot go out', async () => {
    mailLacks = ['server', 'sender', 'recipient'];
    await open();
    expect(
      screen.getByText(/mancano il server SMTP, il mittente e l’indirizzo di chi le riceve:/),
    ).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Completa le impostazioni email' })).toHaveAttribute(
      'href',
      '/admin/settings/email/mail-server',
    );
    mailLacks = ['recipient'];
    await pass(5100);
    expect(screen.getByText(/almeno per un reparto/)).toBeInTheDocument();
    mailLacks = [];
    await pass(5100);
    expect(screen.queryByText('Le email non partono')).toBeNull();
  });

  it('say when another try could not be asked for', async () => {
    await open();
    refusal = () => problem(503, 'occupato');
    fireEvent.click(screen.getByRole('button', { name: 'Riprova tutte' }));
    await pass(0);
    expect(screen.getByRole('alert')).toHaveTextContent('Non è stato possibile riprovare');
    expect(screen.getByRole('alert')).toHaveTextContent('Fallito: occupato');
  });

  it('are of one state and one page, as the address says', async () => {
    nextCursor = 'p7';
    const page = await open('/admin/deliveries?stato=fallita&cursor=p9');
    expect(page.requests[0]?.path).toBe('/deliveries?stato=fallita&cursor=p9');
    expect(screen.getByLabelText('Stato')).toHaveValue('fallita');
    fireEvent.click(screen.getByRole('link', { name: 'Più vecchie' }));
    await pass(0);
    expect(page.requests.at(-1)?.path).toBe('/deliveries?stato=fallita&cursor=p7');
    fireEvent.click(screen.getByRole('link', { name: 'Più recenti' }));
    await pass(0);
    expect(page.requests.at(-1)?.path).toBe('/deliveries?stato=fallita');
    fireEvent.change(screen.getByLabelText('Stato'), { target: { value: '' } });
    await pass(0);
    expect(page.requests.at(-1)?.path).toBe('/deliveries');
  });

  it('explain themselves where there are none, and why they could not be read', async () => {
    data = [];
    await open();
    expect(screen.getByText(/^Qui compaiono le email e i webhook/)).toBeInTheDocument();
    refusal = () => problem(500, 'errore-interno');
    await open();
    expect(screen.getByRole('alert')).toHaveTextContent('Non è stato possibile caricare le consegne');
  });
});

describe('the banner', () => {
  const openBanner = () => openPage(<DeliveryBanner />, answer);

  it('stands while something fails, and goes by itself', async () => {
    const page = await openBanner();
    const banner = status();
    expect(banner).toHaveTextContent(
      'Una email o un webhook non è arrivato a destinazione. Vai alle consegne',
    );
    expect(within(banner).getByRole('link')).toHaveAttribute('href', '/admin/deliveries');
    data = [];
    await pass(15_100);
    expect(banner).toHaveTextContent('Email o webhook non arrivano a destinazione: vengono ritentati.');
    failing = false;
    await pass(15_100);
    expect(banner).toBeEmptyDOMElement();
    expect(page.requests).toHaveLength(3);
  });

  it('asks without keeping the session alive', async () => {
    const { requests } = await openBanner();
    await pass(15_000);
    expect(requests.slice(1).map(({ headers }) => headers.get('x-background'))).toEqual(['1']);
  });
});
