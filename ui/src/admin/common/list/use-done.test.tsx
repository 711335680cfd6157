import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { noContent, problem } from '../../../shared/testing/server';
import { openPage, press } from '../../testing/panel-page';
import { useAction } from '../action';
import { useDone } from './use-done';

const three = ['Anna', 'Bruno', 'Carla'].map((nome) => ({ id: nome.toLowerCase(), nome, cognome: 'Rossi' }));

function Desk() {
  const action = useAction();
  const done = useDone();
  return (
    <>
      <button type="button" onClick={() => void action.run(() => done(three))}>
        Fatto
      </button>
      <p>{action.failure ? 'non tutte' : ''}</p>
    </>
  );
}

it('tells how many are out with one undo, which puts those back', async () => {
  let refused = 'nessuna';
  const out = new Set<string>();
  await openPage(<Desk />, ({ method, path }) => {
    const [, id = ''] = /^\/reports\/(\w+)\/done$/.exec(path) ?? [];
    if (id === refused) {
      return problem(404, 'non-trovato');
    }
    method === 'POST' ? out.add(id) : out.delete(id);
    return noContent();
  });
  const told = screen.getByRole('status');
  await press('Fatto');
  expect(told).toHaveTextContent('Fatto: 3 segnalazioni');
  expect([...out]).toEqual(['anna', 'bruno', 'carla']);
  await press('Annulla');
  expect(told).toHaveTextContent('Da fare: 3 segnalazioni');
  expect(out.size).toBe(0);

  refused = 'carla';
  await press('Fatto');
  expect(screen.getByText('non tutte')).toBeInTheDocument();
  expect(told).toHaveTextContent('Fatto: 2 segnalazioni di 3');
  await press('Annulla');
  expect(out.size).toBe(0);
});
