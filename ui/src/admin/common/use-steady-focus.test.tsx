import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { openPage, pass, press } from '../testing/panel-page';
import { Page } from './page';

function Desk() {
  const [gone, setGone] = useState<readonly string[]>([]);
  const drop = (name: string) => (
    <button type="button" onClick={() => setGone([...gone, name])}>
      {`togli ${name}`}
    </button>
  );
  const rows = ['uno', 'due'].filter((name) => !gone.includes(name));
  return (
    <main>
      <Page title="Prova">
        <section aria-label="Riquadro">
          {rows.length > 0 ? (
            <ul aria-label="Righe">
              {rows.map((name) => (
                <li key={name}>{drop(name)}</li>
              ))}
            </ul>
          ) : null}
        </section>
        {gone.includes('il resto') ? null : drop('il resto')}
      </Page>
    </main>
  );
}

const open = () => openPage(<Desk />, () => Response.json({}));

it('leaves the focus to the nearest part around what went away, and to the heading of the page', async () => {
  await open();
  await press('togli uno');
  expect(screen.getByRole('list', { name: 'Righe' })).toHaveFocus();
  await press('togli due');
  expect(screen.getByRole('region', { name: 'Riquadro' })).toHaveFocus();
  await press('togli il resto');
  expect(screen.getByRole('heading', { name: 'Prova' })).toHaveFocus();
  // What is no control is none any more.
  expect(screen.getByRole('region', { name: 'Riquadro' })).not.toHaveAttribute('tabindex');
});

it('takes it neither from what has it nor to where nobody was', async () => {
  await open();
  const button = screen.getByRole('button', { name: 'togli uno' });
  act(() => button.focus());
  fireEvent.pointerDown(screen.getByRole('heading'));
  act(() => button.blur());
  fireEvent.click(button);
  await pass(10);
  expect(document.body).toHaveFocus();
  const other = screen.getByRole('button', { name: 'togli due' });
  act(() => other.focus());
  fireEvent.click(screen.getByRole('button', { name: 'togli il resto' }));
  await pass(10);
  expect(other).toHaveFocus();
});
