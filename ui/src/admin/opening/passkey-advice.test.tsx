import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { plugIn } from '../testing/authenticator';
import { openPage } from '../testing/panel-page';
import { sampleWho } from '../testing/samples';
import { PasskeyAdvice } from './passkey-advice';

const none = { data: [], offered: true, host: null, sealed: false };
const advice = () => screen.queryByRole('region', { name: 'Consigliato: una passkey' });

it('recommends a passkey to whoever has none', async () => {
  plugIn();
  await openPage(<PasskeyAdvice />, () => Response.json(none), { who: sampleWho() });
  expect(advice()).toHaveTextContent('non si può scrivere su una pagina falsa');
  expect(screen.getByRole('link')).toHaveAttribute('href', '/admin/account');
});

it.each([
  ['one is there', { ...none, data: [{ id: 'k1' }] }, sampleWho()],
  ['none can be added here', { ...none, offered: false }, sampleWho()],
  ['the password is everybody’s', none, null],
])('does not where %s', async (_, known, who) => {
  plugIn();
  await openPage(<PasskeyAdvice />, () => Response.json(known), { who });
  expect(advice()).toBeNull();
});

it('does not where the browser knows none', async () => {
  await openPage(<PasskeyAdvice />, () => Response.json(none), { who: sampleWho() });
  expect(advice()).toBeNull();
});
