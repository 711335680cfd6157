/** A browser that knows passkeys, for unit tests: it gives what a test says, or refuses. */
import { onTestFinished, vi } from 'vitest';

const bytes = (text: string) => new TextEncoder().encode(text).buffer;

/** `name` in base64url, as it travels. */
export const travelling = (name: string) => Buffer.from(name).toString('base64url');

interface Prf {
  enabled?: boolean;
  results?: { first: BufferSource };
}

export const sampleCredential = (response: object, prf?: Prf) => ({
  id: travelling('chiave'),
  rawId: bytes('chiave'),
  type: 'public-key',
  authenticatorAttachment: 'platform',
  response,
  getClientExtensionResults: () => (prf ? { prf } : {}),
});

export const sampleAssertion = (prf?: Prf) =>
  sampleCredential(
    {
      authenticatorData: bytes('dati'),
      clientDataJSON: bytes('{}'),
      signature: bytes('firma'),
      userHandle: bytes('anna'),
    },
    prf,
  );

export const sampleAttestation = (prf?: Prf) =>
  sampleCredential(
    { attestationObject: bytes('prova'), clientDataJSON: bytes('{}'), getTransports: () => ['internal'] },
    prf,
  );

/** What opens the archive, as a device gives it. */
export const opener = (text: string): Prf => ({ enabled: true, results: { first: bytes(text) } });

export const refused = (name: string) => Promise.reject(new DOMException(name, name));

interface Asked {
  publicKey: Record<string, unknown> & { challenge: Uint8Array; timeout?: number };
  mediation?: string;
  signal?: AbortSignal;
}

/** Waits as a browser does that offers passkeys among what it fills in: for a choice, or until it is stopped. */
export const waits = ({ signal }: Asked) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
  });

interface Authenticator {
  conditional?: boolean;
  get?: (asked: Asked) => Promise<unknown>;
  create?: (asked: Asked) => Promise<unknown>;
}

/** Puts it into the window for one test; gives what it was asked. */
export function plugIn({ conditional = false, get = waits, create = waits }: Authenticator = {}): Asked[] {
  const asked: Asked[] = [];
  const told =
    (answer: (one: Asked) => Promise<unknown>) =>
    (one: Asked): Promise<unknown> => {
      asked.push(one);
      return answer(one);
    };
  const known = { isConditionalMediationAvailable: () => Promise.resolve(conditional) };
  vi.stubGlobal(
    'PublicKeyCredential',
    Object.assign(() => undefined, known),
  );
  Object.defineProperty(navigator, 'credentials', {
    configurable: true,
    value: { get: told(get), create: told(create) },
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, 'credentials');
  });
  return asked;
}
