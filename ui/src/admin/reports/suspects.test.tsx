import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sieges } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, pass } from '../testing/panel-page';
import { Suspects } from './suspects';

let told: Sieges;
let broken: boolean;
let left: number;

beforeEach(() => {
  broken = false;
  left = 0;
  told = {
    siege: true,
    data: [],
    aside: 5,
    upTo: 42,
    groups: [{ group: 7, n: 5, excerpt: 'Da marzo', unlike: null }],
  };
});

function answer({ method, body }: Request): Response {
  if (method === 'GET') {
    return Response.json(told);
  }
  if (broken) {
    return problem(503, 'archivio-non-raggiungibile');
  }
  const { group } = body as { group?: number };
  const rest = told.groups.filter((one) => group !== undefined && one.group !== group);
  const aside = rest.reduce((sum, { n }) => sum + n, 0);
  const changed = told.aside - aside;
  told = { ...told, aside, groups: rest };
  return Response.json({ changed, left });
}

const open = (shown = false, onShow: (shown: boolean) => void = () => {}) =>
  openPage(<Suspects shown={shown} onShow={onShow} />, answer);
const press = async (name: string, last = false) => {
  const all = screen.getAllByRole('button', { name });
  fireEvent.click(all[last ? all.length - 1 : 0] as HTMLElement);
  await pass(20);
};

describe('what siege mode set aside', () => {
  it('is restored by one click, up to what is shown', async () => {
    const page = await open();
    expect(screen.getByText('5 segnalazioni sospette')).toBeVisible();
    await press('Ripristina tutte');
    expect(page.changes()).toEqual([
      { method: 'POST', path: '/sieges/aside', body: { action: 'restore', upTo: 42 } },
    ]);
    expect(screen.getByText('Segnalazioni ripristinate: 5.')).toBeVisible();
    expect(screen.queryByText(/segnalazioni sospette/)).toBeNull();
  });

  it('is erased only after a question, group by group where there are several', async () => {
    told.groups.push({ group: 8, n: 1234, excerpt: '', unlike: null });
    told.aside = 1239;
    const page = await open();
    expect(screen.getByText('1.234 come questa: racconto non leggibile')).toBeVisible();
    await press('Cancella', true);
    expect(page.changes()).toEqual([]);
    expect(screen.getByRole('dialog')).toHaveTextContent('la cancellazione è definitiva');
    await press('Cancella', true);
    expect(page.changes()[0]?.body).toEqual({ action: 'erase', upTo: 42, group: 8 });
    expect(screen.getByText('5 segnalazioni sospette')).toBeVisible();
  });

  it('shows what differs most, and says what an erasure left', async () => {
    told.groups = [{ group: 7, n: 5, excerpt: '', unlike: { id: 'r1', excerpt: 'Ho le ricevute.' } }];
    left = 1;
    await open();
    expect(screen.getByRole('link', { name: 'Ho le ricevute.' })).toHaveAttribute(
      'href',
      '/admin/reports/r1',
    );
    await press('Cancella tutte');
    await press('Cancella');
    expect(screen.getByText(/^Segnalazioni cancellate: 5\. Rimaste,.*: 1\.$/)).toBeVisible();
  });

  it('stays where it cannot be changed, and says why', async () => {
    broken = true;
    await open();
    await press('Ripristina tutte');
    expect(screen.getByRole('alert')).toHaveTextContent('Operazione non riuscita');
    expect(screen.getByText('5 segnalazioni sospette')).toBeVisible();
  });

  it('leads back from an empty list, and is not there otherwise', async () => {
    told = { ...told, aside: 0, groups: [] };
    const onShow = vi.fn();
    const page = await open(true, onShow);
    expect(screen.getByText('Nessuna segnalazione sospetta')).toBeVisible();
    expect(screen.queryByRole('button', { name: /Ripristina/ })).toBeNull();
    await press('Torna all’elenco');
    expect(onShow).toHaveBeenCalledWith(false);
    page.close();
    await open();
    expect(screen.queryByText('Nessuna segnalazione sospetta')).toBeNull();
  });
});
