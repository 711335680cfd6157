import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, pass, press } from '../testing/panel-page';
import { Memory } from './routing-cards';

let moves: number;
let refusal: (() => Response) | null;

function answer({ method }: Request): Response {
  if (refusal) {
    return refusal();
  }
  if (method === 'DELETE') {
    moves = 0;
  }
  return Response.json({ moves });
}

beforeEach(() => {
  moves = 2;
  refusal = null;
});

const open = (smart = true) => openPage(<Memory smart={smart} />, answer);
/** The button of the question that is open. */
const confirm = async (name: string) => {
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name }));
  await pass(0);
};

describe('what routing remembers', () => {
  it('is counted, and forgotten once that is confirmed', async () => {
    const page = await open();
    expect(screen.getByText('2 spostamenti ricordati.')).toBeVisible();
    expect(screen.queryByText(/Adesso i reparti non si scelgono/)).toBeNull();
    await press('Dimentica');
    await confirm('Annulla');
    expect(page.changes()).toEqual([]);
    await press('Dimentica');
    await confirm('Dimentica');
    expect(page.changes().map(({ method, path }) => [method, path])).toEqual([['DELETE', '/routing/memory']]);
    expect(screen.getByText('Spostamenti dimenticati.')).toBeVisible();
    expect(screen.getByText('Nessuno spostamento ricordato.')).toBeVisible();
  });

  it('is nothing at first, with nothing to forget', async () => {
    moves = 0;
    await open(false);
    expect(screen.getByText(/Adesso i reparti non si scelgono/)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Dimentica' })).toHaveAttribute('aria-disabled', 'true');
  });

  it('says why it was not forgotten', async () => {
    await open();
    await press('Dimentica');
    refusal = () => problem(500, 'errore-interno');
    await confirm('Dimentica');
    expect(screen.getByText('Gli spostamenti non sono stati dimenticati')).toBeVisible();
    expect(screen.getByText('2 spostamenti ricordati.')).toBeVisible();
  });
});
