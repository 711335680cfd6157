import { describe, expect, it, vi } from 'vitest';
import {
  opener,
  plugIn,
  refused,
  sampleAssertion,
  sampleAttestation,
  travelling,
} from '../../testing/authenticator';
import { askForPasskey, makePasskey } from './ceremony';

const SALT = new Uint8Array(32).fill(251);
const prf = { eval: { first: Buffer.from(SALT).toString('base64url') } };
const never = new AbortController().signal;
const CREATION = {
  challenge: travelling('sfida'),
  rp: { id: 'localhost', name: 'Prova' },
  user: { id: travelling('anna'), name: 'anna.rossi', displayName: 'Anna Rossi' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  excludeCredentials: [{ id: travelling('altra'), type: 'public-key' }],
  extensions: { credProps: true, prf },
};

describe('a passkey that is asked for', () => {
  it('gets the question in bytes, and answers in JSON; what opens the archive is in no answer', async () => {
    const asked = plugIn({ get: () => Promise.resolve(sampleAssertion(opener('apriti'))) });
    const options = { challenge: travelling('sfida?'), rpId: 'localhost', extensions: { prf } };
    const { answer, opens } = await askForPasskey(options, never, 'conditional');
    expect(asked[0]).toMatchObject({ mediation: 'conditional', publicKey: { rpId: 'localhost' } });
    expect(Buffer.from(asked[0]?.publicKey.challenge ?? []).toString()).toBe('sfida?');
    expect(asked[0]?.publicKey.extensions).toEqual({ prf: { eval: { first: SALT } } });
    expect(opens).toBe(travelling('apriti'));
    expect(JSON.stringify(answer)).not.toContain(opens);
    expect(answer).toEqual({
      id: travelling('chiave'),
      rawId: travelling('chiave'),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        authenticatorData: travelling('dati'),
        clientDataJSON: travelling('{}'),
        signature: travelling('firma'),
        userHandle: travelling('anna'),
      },
    });
  });

  it('opens nothing where browser or device cannot', async () => {
    plugIn({ get: () => Promise.resolve(sampleAssertion()) });
    await expect(askForPasskey({ challenge: 'AAAA' }, never)).resolves.toMatchObject({ opens: null });
  });

  it('reads a part of a larger buffer as that part', async () => {
    const part = new Uint8Array([0, 1, 2, 255, 254, 9]).subarray(3, 5);
    plugIn({ get: () => Promise.resolve(sampleAssertion({ results: { first: part } })) });
    await expect(askForPasskey({ challenge: 'AAAA' }, never)).resolves.toMatchObject({ opens: '__4' });
  });
});

describe('a passkey that is made', () => {
  it('opens the archive at once where the device says how', async () => {
    const asked = plugIn({ create: () => Promise.resolve(sampleAttestation(opener('apriti'))) });
    const again = vi.fn();
    const { answer, opens } = await makePasskey(CREATION, again);
    expect(opens).toBe(travelling('apriti'));
    expect(again).not.toHaveBeenCalled();
    expect(answer).toMatchObject({
      clientExtensionResults: {},
      response: { attestationObject: travelling('prova'), transports: ['internal'] },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.publicKey).toMatchObject({
      user: { id: new Uint8Array(Buffer.from('anna')), name: 'anna.rossi' },
      excludeCredentials: [{ id: new Uint8Array(Buffer.from('altra')) }],
      extensions: { credProps: true, prf: { eval: { first: SALT } } },
    });
  });

  it('is asked once more where it can open, but has not said how', async () => {
    const asked = plugIn({
      create: () => Promise.resolve(sampleAttestation({ enabled: true })),
      get: () => Promise.resolve(sampleAssertion(opener('apriti'))),
    });
    const again = vi.fn();
    await expect(makePasskey(CREATION, again)).resolves.toMatchObject({ opens: travelling('apriti') });
    expect(again).toHaveBeenCalledOnce();
    expect(asked[1]?.publicKey).toMatchObject({
      allowCredentials: [{ id: new Uint8Array(Buffer.from('chiave')), type: 'public-key' }],
      userVerification: 'required',
      extensions: { prf: { eval: { first: SALT } } },
    });
  });

  it.each([
    ['the second question is refused', { enabled: true }],
    ['the device cannot', { enabled: false }],
  ])('logs in without opening where %s', async (_, can) => {
    plugIn({
      create: () => Promise.resolve(sampleAttestation(can)),
      get: () => refused('NotAllowedError'),
    });
    await expect(makePasskey(CREATION, vi.fn())).resolves.toMatchObject({ opens: null });
  });
});
