import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { call } from '../../shared/api/client';
import { lineDown, on } from '../../shared/testing/server';
import { openPage, pass, press } from '../testing/panel-page';
import { Failure, useAction } from './action';
import { type Told, useToast } from './toast';
import { ToastPlace } from './toast-strip';

function Desk({ told }: { told: readonly Told[] }) {
  const { show } = useToast();
  return (
    <>
      {told.map((one) => (
        <button key={one.text} type="button" onClick={() => show(one)}>
          {`fai ${one.text}`}
        </button>
      ))}
      <aside aria-label="colonna">
        <ToastPlace />
      </aside>
    </>
  );
}

function Saving() {
  const action = useAction();
  return (
    <>
      <Desk told={[{ text: 'Salvato' }, { text: 'Fatto: Anna', undo: async () => null }]} />
      <button type="button" onClick={() => void action.run(() => Promise.reject(new Error('no')))}>
        salva
      </button>
      <Failure of={action} title="Non salvato" />
    </>
  );
}

const open = (...told: Told[]) => openPage(<Desk told={told} />, () => Response.json({}));
const strip = () => screen.getByRole('status');

it('tells one thing at a time for eight seconds, at the foot of the column that has a place for it', async () => {
  await open({ text: '3 segnalazioni archiviate' }, { text: 'Fatto: Caterina Bellomo' });
  expect(strip()).toBeEmptyDOMElement();
  await press('fai 3 segnalazioni archiviate');
  expect(screen.getByRole('complementary')).toContainElement(strip());
  await pass(7000);
  await press('fai Fatto: Caterina Bellomo');
  await pass(7900);
  expect(strip()).toHaveTextContent(/^Fatto: Caterina Bellomo$/);
  await pass(200);
  expect(strip()).toBeEmptyDOMElement();
});

it('takes it back once, and tells what came of that', async () => {
  let undone = 0;
  await open({
    text: 'Archiviata: Anna',
    undo: async () => {
      undone += 1;
      return 'Annullato. Nuova: Anna';
    },
  });
  await press('fai Archiviata: Anna');
  await press('Annulla');
  expect(undone).toBe(1);
  expect(strip()).toHaveTextContent(/^Annullato. Nuova: Anna$/);
});

it('tells no success any more beside a failure, but leaves what can still be taken back', async () => {
  await openPage(<Saving />, () => Response.json({}));
  await press('fai Salvato');
  await press('salva');
  expect(screen.getByRole('alert')).toHaveTextContent('Non salvato');
  expect(strip()).toBeEmptyDOMElement();
  await press('fai Fatto: Anna');
  await press('salva');
  expect(strip()).toHaveTextContent('Fatto: Anna');
});

it('leaves a refused undo in sight until it is read', async () => {
  await open({ text: 'Fatto: Anna', undo: () => call('delete', '/views/{id}', { path: { id: '1' } }) });
  on('delete', '/views/{id}', lineDown);
  await press('fai Fatto: Anna');
  await press('Annulla');
  await pass(60_000);
  expect(strip()).toHaveTextContent(/^Non annullato\. /);
  await press('Chiudi');
  expect(strip()).toBeEmptyDOMElement();
});
