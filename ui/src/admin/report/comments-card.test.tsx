import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openPage, pass, problem, type Request } from '../testing/panel-page';
import { sampleWho } from '../testing/samples';
import { CommentsCard } from './comments-card';

const anna = sampleWho();
const comment = (n: number, more: object) => ({
  n,
  author: anna.id,
  at: '2026-11-23T09:00:00Z',
  edited: null,
  text: `Commento ${n}`,
  mine: true,
  ...more,
});
let data: object[];
let refused: boolean;

function answer({ method, path, body }: Request): Response {
  if (path === '/colleagues') {
    return Response.json({ data: [{ id: anna.id, name: anna.name, gone: false }] });
  }
  if (method === 'POST') {
    if (refused) {
      return problem(507, 'spazio-esaurito');
    }
    data = [...data, comment(9, body as object)];
  }
  return Response.json({ data });
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-23T09:14:00Z') });
  refused = false;
  data = [comment(1, {}), comment(2, { mine: false, author: null })];
});
afterEach(() => vi.useRealTimers());

it('keeps what was typed until it arrives, and names who wrote what', async () => {
  const page = await openPage(<CommentsCard id="r1" />, answer, { who: anna });
  const [first, second] = screen.getAllByRole('listitem');
  expect(first).toHaveTextContent('Anna Rossi · 23/11/2026 10:00');
  expect(second).toHaveTextContent('Redazione · 23/11/2026 10:00');
  const box = screen.getByLabelText('Aggiungi un commento', { selector: 'textarea' });
  fireEvent.change(box, { target: { value: 'Sentita la preside.' } });
  refused = true;
  fireEvent.click(screen.getByRole('button', { name: 'Commenta' }));
  await pass(10);
  expect(screen.getByRole('alert')).toHaveTextContent('Commento non salvato');
  expect(box).toHaveValue('Sentita la preside.');
  refused = false;
  fireEvent.click(screen.getByRole('button', { name: 'Commenta' }));
  await pass(10);
  expect(box).toHaveValue('');
  expect(screen.getByText('Sentita la preside.')).toBeInTheDocument();
  // The same comment, so that one whose answer was lost is not written twice.
  const keys = page.changes().map(({ body }) => (body as { key: string }).key);
  expect(keys[0]).toMatch(/./);
  expect(keys[1]).toBe(keys[0]);
});

it('offers to change one’s own for a quarter of an hour, and nobody else’s', async () => {
  await openPage(<CommentsCard id="r1" />, answer, { who: anna });
  const [first, second] = screen.getAllByRole('listitem');
  const ways = (entry: HTMLElement | undefined) =>
    within(entry as HTMLElement).queryAllByRole('button', { name: /^Modifica/ });
  expect(ways(first)).toHaveLength(1);
  expect(ways(second)).toHaveLength(0);
  await pass(65_000);
  expect(ways(first)).toHaveLength(0);
});

it('is read only in the hands of a reader', async () => {
  await openPage(<CommentsCard id="r1" />, answer, { who: sampleWho({ role: 'lettore' }) });
  expect(screen.getByText('Commento 1')).toBeInTheDocument();
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.queryByRole('textbox')).toBeNull();
});
