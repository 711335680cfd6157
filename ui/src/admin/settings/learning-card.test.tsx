import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RoutingModel } from '../../shared/api/schema';
import { openPage, pass, problem, type Request } from '../testing/panel-page';
import { Learning } from './learning-card';

const EMPTY: RoutingModel = { active: null, versions: [], corrections: 0, due: false, last: null };
const TAUGHT: RoutingModel = {
  active: 7,
  versions: [
    { version: 7, made: '2026-03-10T09:00:00Z', corrections: 2 },
    { version: 5, made: '2026-03-09T09:00:00Z', corrections: 1 },
  ],
  corrections: 2,
  due: false,
  last: { at: '2026-03-10T09:00:00Z', kept: true, corrections: 2, tested: 210, right: 157, bundled: 158 },
};

let model: RoutingModel;
let refusal: (() => Response) | null;

function answer({ method, path }: Request): Response {
  if (refusal) {
    return refusal();
  }
  if (method === 'POST') {
    model = { ...model, active: 5, versions: model.versions.slice(1), corrections: 1 };
  }
  if (method === 'DELETE') {
    model = { ...EMPTY, corrections: path.endsWith('forget=true') ? 0 : model.corrections };
  }
  return Response.json(model);
}

beforeEach(() => {
  vi.useFakeTimers();
  model = TAUGHT;
  refusal = null;
});

afterEach(() => {
  vi.useRealTimers();
});

const open = (smart = true) => openPage(<Learning smart={smart} />, answer);
const press = async (name: string) => {
  fireEvent.click(screen.getByRole('button', { name }));
  await pass(0);
};
/** The button of the question that is open. */
const confirm = async (name: string) => {
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name }));
  await pass(0);
};

describe('what routing has learnt', () => {
  it('is told with its date and its figures, and claims no more than memory', async () => {
    await open();
    expect(screen.getByText(/, da 2 segnalazioni spostate$/)).toBeVisible();
    expect(screen.getByText(/al reparto giusto 158; con quanto imparato, 157\.$/)).toBeVisible();
    expect(screen.getByText(/ricorda le scelte di questa redazione/)).toBeVisible();
    expect(screen.queryByText(/Adesso i reparti non si scelgono/)).toBeNull();
  });

  it('is nothing at first, with nothing to take back', async () => {
    model = EMPTY;
    await open(false);
    expect(screen.getByText(/^Niente: vale solo/)).toBeVisible();
    expect(screen.getByText(/Adesso i reparti non si scelgono/)).toBeVisible();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('is looked at again while something is still to be learnt', async () => {
    model = { ...EMPTY, corrections: 1, due: true };
    await open();
    expect(screen.getByText(/Ci sono spostamenti da imparare/)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Annulla ultimo apprendimento' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    model = TAUGHT;
    await pass(6000);
    expect(screen.queryByText(/Ci sono spostamenti da imparare/)).toBeNull();
    expect(screen.getByText(/, da 2 segnalazioni spostate$/)).toBeVisible();
  });

  it('is told when it was refused', async () => {
    model = {
      ...EMPTY,
      corrections: 30,
      last: {
        at: '2026-03-10T09:00:00Z',
        kept: false,
        corrections: 30,
        tested: 210,
        right: 138,
        bundled: 158,
      },
    };
    await open();
    expect(screen.getByText('L’ultimo apprendimento non è stato adottato')).toBeVisible();
    expect(
      screen.getByText(/da 30 segnalazioni spostate: su 210 .* 158; con quanto imparato, 138\./),
    ).toBeVisible();
  });

  it('is taken back one step, by its number, once that is confirmed', async () => {
    const page = await open();
    await press('Annulla ultimo apprendimento');
    expect(page.changes()).toEqual([]);
    await confirm('Lascia com’è');
    expect(page.changes()).toEqual([]);
    await press('Annulla ultimo apprendimento');
    await confirm('Annulla apprendimento');
    expect(page.changes()).toEqual([{ method: 'POST', path: '/routing/model/undo', body: { version: 7 } }]);
    expect(screen.getByText('Ultimo apprendimento annullato.')).toBeVisible();
    expect(screen.getByText(/, da una segnalazione spostata$/)).toBeVisible();
  });

  it('is reset, and forgets the moved reports only when that is asked for', async () => {
    const page = await open();
    await press('Ripristina');
    await confirm('Ripristina');
    await press('Ripristina');
    fireEvent.click(screen.getByRole('switch', { name: 'Dimentica anche le segnalazioni spostate' }));
    await confirm('Ripristina');
    expect(page.changes().map(({ path }) => path)).toEqual(['/routing/model', '/routing/model?forget=true']);
    expect(screen.getByText('Smistamento ripristinato.')).toBeVisible();
  });

  it('says why it was not taken back, and looks again', async () => {
    await open();
    const detail =
      'Nel frattempo quello che lo smistamento ha imparato è cambiato: guarda di nuovo e riprova.';
    await press('Annulla ultimo apprendimento');
    refusal = () => problem(409, 'conflitto', { detail });
    await confirm('Annulla apprendimento');
    expect(screen.getByText('Lo smistamento non è stato cambiato')).toBeVisible();
    expect(screen.getByText(detail)).toBeVisible();
  });

  it('offers to try again when it cannot be loaded', async () => {
    refusal = () => problem(500, 'errore-interno');
    await open();
    await pass(20_000);
    refusal = null;
    await press('Riprova');
    expect(screen.getByText(/, da 2 segnalazioni spostate$/)).toBeVisible();
  });
});
