/** The browser's part of a passkey, with its questions and answers as JSON. Must never put into an answer what opens the archive. */

/** What the contract calls an object, whatever is in it. */
export type AnyObject = Record<string, never>;

/** What the browser answers, and what opens a sealed archive with it: null where browser or device cannot do that. */
export interface Ceremony {
  answer: AnyObject;
  opens: string | null;
}

/** As the server writes it: the JSON form of the standard, which not every browser can read by itself. */
export interface AskedOptions {
  challenge: string;
  timeout?: number;
  extensions?: { prf?: { eval?: { first?: string } } };
}

interface Known {
  id: string;
  type: 'public-key';
}

interface CreationOptions extends AskedOptions {
  user: { id: string; name: string; displayName: string };
  excludeCredentials?: Known[];
}

interface RequestOptions extends AskedOptions {
  allowCredentials?: Known[];
}

const whole = (answer: object) => answer as AnyObject;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (byte) => byte.charCodeAt(0));

function textOf(source: BufferSource): string {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}

const listOf = (known: Known[] = []) => known.map((one) => ({ ...one, id: bytesOf(one.id) }));

function extensionsOf({ extensions }: AskedOptions): AuthenticationExtensionsClientInputs {
  const { prf, ...others } = extensions ?? {};
  const salt = prf?.eval?.first;
  return { ...others, ...(salt && { prf: { eval: { first: bytesOf(salt) } } }) };
}

const prfOf = (made: PublicKeyCredential) => made.getClientExtensionResults().prf;

function openerOf(made: PublicKeyCredential): string | null {
  const first = prfOf(made)?.results?.first;
  return first ? textOf(first) : null;
}

/** The parts that both answers have. */
const headOf = ({ id, rawId, type, authenticatorAttachment }: PublicKeyCredential) => ({
  id,
  rawId: textOf(rawId),
  type,
  clientExtensionResults: {},
  ...(authenticatorAttachment && { authenticatorAttachment }),
});

function found(made: Credential | null): PublicKeyCredential {
  if (made === null) {
    throw new DOMException('no credential', 'NotAllowedError');
  }
  return made as PublicKeyCredential;
}

/** Lets the browser ask for a passkey: in a window of its own, or `conditional`, among what it fills in. */
export async function askForPasskey(
  asked: object,
  signal: AbortSignal,
  mediation?: CredentialMediationRequirement,
): Promise<Ceremony> {
  const options = asked as RequestOptions;
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: listOf(options.allowCredentials),
    extensions: extensionsOf(options),
  };
  const made = found(await navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) }));
  const response = made.response as AuthenticatorAssertionResponse;
  const answer = {
    ...headOf(made),
    response: {
      authenticatorData: textOf(response.authenticatorData),
      clientDataJSON: textOf(response.clientDataJSON),
      signature: textOf(response.signature),
      userHandle: response.userHandle && textOf(response.userHandle),
    },
  };
  return { answer: whole(answer), opens: openerOf(made) };
}

/** Has a passkey made. Many devices say what opens the archive only when asked once more, of which `again` tells. */
export async function makePasskey(asked: object, again: () => void): Promise<Ceremony> {
  const options = asked as CreationOptions;
  const publicKey = {
    ...(asked as PublicKeyCredentialCreationOptions),
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: listOf(options.excludeCredentials),
    extensions: extensionsOf(options),
  };
  const made = found(await navigator.credentials.create({ publicKey }));
  const response = made.response as AuthenticatorAttestationResponse;
  const answer = {
    ...headOf(made),
    response: {
      attestationObject: textOf(response.attestationObject),
      clientDataJSON: textOf(response.clientDataJSON),
      transports: response.getTransports?.() ?? [],
    },
  };
  const opens = openerOf(made) ?? (prfOf(made)?.enabled ? await openerLater(made.id, options, again) : null);
  return { answer: whole(answer), opens };
}

/** The server never sees this answer, so its challenge is of no matter. Refused, the passkey logs in but does not open. */
async function openerLater(id: string, made: AskedOptions, again: () => void): Promise<string | null> {
  again();
  const challenge = textOf(crypto.getRandomValues(new Uint8Array(32)));
  const options = {
    challenge,
    timeout: made.timeout,
    extensions: made.extensions,
    userVerification: 'required',
    allowCredentials: [{ id, type: 'public-key' }],
  };
  return askForPasskey(options, new AbortController().signal).then(
    ({ opens }) => opens,
    () => null,
  );
}
