import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { openPage, press } from '../testing/panel-page';
import { OpeningCard } from './opening-card';

afterEach(() => localStorage.clear());

const open = (opening: readonly string[]) => openPage(<OpeningCard />, () => Response.json({ opening }));
const card = () => screen.queryByRole('complementary', { name: 'Prima di aprire' });

it('says what is missing, and leads there', async () => {
  await open(['posta', 'promesse', 'amministratore']);
  expect(card()).toHaveTextContent('4 di 7 · mancano l’email, le promesse e un secondo amministratore');
  expect(screen.getByRole('link', { name: 'Continua' })).toHaveAttribute('href', '/admin/opening');
});

it('hides until tomorrow, also on a page that is opened anew', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-28T20:00:00Z') });
  const first = await open(['backup']);
  expect(card()).toHaveTextContent('6 di 7 · manca il backup');
  await press('Nascondi fino a domani');
  expect(card()).toBeNull();
  first.close();
  const second = await open(['backup']);
  expect(card()).toBeNull();
  second.close();
  vi.setSystemTime(new Date('2026-11-28T23:30:00Z'));
  await open(['backup']);
  expect(card()).not.toBeNull();
});

it('is gone when nothing is open', async () => {
  await open([]);
  expect(card()).toBeNull();
});
