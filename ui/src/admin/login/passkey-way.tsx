/** In by a passkey: at the press of a button, or out of the browser's autofill. Loaded only where the server knows of some. */
import { KeyRound } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import { Button } from '../../shared/ui/button';
import { Text } from '../../shared/ui/layout';
import type { Action } from '../common/action';
import { askForPasskey, type Ceremony } from '../common/passkeys/ceremony';
import { toldOf } from '../common/passkeys/faults';
import { knowsPasskeys } from '../common/passkeys/support';
import { useSession } from '../common/session/session-context';
import type { Offer, Offered } from './offer';

/** How long the server knows a question, and after how much of it another is asked for, in milliseconds. */
const KNOWN_MS = 300_000;
const FRESH_MS = 270_000;
/** What fails sooner did not wait for anybody, and would fail again at once. */
const TRIED_MS = 1_000;

type Asked = { question: string; options: object; at: number };

const isFresh = ({ at }: Pick<Offer, 'at'>) => Date.now() - at < FRESH_MS;

const asksOf = ({ question, options, at }: Offer): Asked | null =>
  question && options ? { question, options, at } : null;

interface PasskeyWayProps extends Omit<Offered, 'offer'> {
  offer: Offer;
  /** The login's own: one way at a time. */
  of: Action;
  link: string;
}

export function PasskeyWay({ offer, ...props }: PasskeyWayProps) {
  const asked = asksOf(offer);
  if (asked) {
    return knowsPasskeys() ? (
      <Ways {...props} asked={asked} />
    ) : (
      <Text tone="muted" small>
        Questo browser non conosce le passkey: accedi con la password.
      </Text>
    );
  }
  return offer.host ? (
    <Text tone="muted" small>
      Hai una passkey? Vale solo su{' '}
      <a href={offer.host + window.location.pathname}>{new URL(offer.host).host}</a>.
    </Text>
  ) : null;
}

type WaysProps = Omit<PasskeyWayProps, 'offer'> & { asked: Asked };

function Ways({ asked, renew, spend, of, link }: WaysProps) {
  const session = useSession();
  const pressed = useRef<AbortController>(null);
  /** The server took none: the browser would offer the same one at once. The button stays. */
  const [refused, setRefused] = useState(false);
  useEffect(() => () => pressed.current?.abort(), []);

  const enter = async (question: string, { answer, opens }: Ceremony) => {
    try {
      await call('post', '/session/passkey', { body: { question, answer, opens, ...(link && { link }) } });
    } catch (error) {
      spend();
      setRefused(true);
      throw error;
    }
    await session.begin();
  };
  const press = async () => {
    const { question, options, at } = isFresh(asked) ? asked : (asksOf(await renew()) ?? asked);
    const gone = new AbortController();
    pressed.current = gone;
    // Later, the server would no longer know what was asked.
    const timeout = KNOWN_MS - (Date.now() - at);
    // A browser answers one at a time, and says that another is pending until that has ended.
    await stop();
    const made = await askForPasskey({ ...options, timeout }, gone.signal).catch((error: unknown) => {
      throw toldOf(error, 'use');
    });
    await enter(question, made);
  };

  useFreshness(asked.at, renew, of.busy);
  const stop = useAutofill(asked, { ...of, busy: of.busy || refused }, enter);
  return (
    <Button icon={<KeyRound />} inactive={of.busy} onClick={() => void of.run(press)}>
      Accedi con una passkey
    </Button>
  );
}

/** Asks for a new question in time, and when somebody comes back to a page with an old one. */
function useFreshness(at: number, renew: Offered['renew'], busy: boolean): void {
  useEffect(() => {
    if (busy) {
      return;
    }
    const look = () => {
      if (document.visibilityState === 'visible' && !isFresh({ at })) {
        renew().catch(() => undefined);
      }
    };
    const clock = setTimeout(look, Math.max(0, at + FRESH_MS - Date.now()));
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(clock);
      document.removeEventListener('visibilitychange', look);
    };
  }, [at, renew, busy]);
}

/** Lets the browser offer passkeys among what it fills in, for as long as no other way was taken. */
function useAutofill(
  { question, options, at }: Asked,
  { busy, run }: Action,
  enter: (question: string, made: Ceremony) => Promise<void>,
): () => Promise<unknown> {
  const waiting = useRef<{ gone: AbortController; outcome: Promise<unknown> }>(null);
  /** Grows when what was chosen did not let in: the browser can be asked again. */
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one wait for each question and round
  useEffect(() => {
    if (busy || !isFresh({ at })) {
      return;
    }
    const gone = new AbortController();
    const outcome = waitFor(options, gone.signal);
    waiting.current = { gone, outcome };
    void outcome.then(async (chosen) => {
      const counts = chosen && !gone.signal.aborted;
      if (counts && !(await run(() => chosen().then((made) => enter(question, made))))) {
        setRound((before) => before + 1);
      }
    });
    return () => gone.abort();
  }, [question, at, busy, round]);
  return async () => {
    waiting.current?.gone.abort();
    await waiting.current?.outcome;
  };
}

/** What became of the wait: a passkey, or why the chosen one was not given; null where nobody has chosen. */
async function waitFor(options: object, signal: AbortSignal): Promise<(() => Promise<Ceremony>) | null> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.()) || signal.aborted) {
    return null;
  }
  const begun = Date.now();
  try {
    const made = await askForPasskey(options, signal, 'conditional');
    return () => Promise.resolve(made);
  } catch (error) {
    return Date.now() - begun < TRIED_MS ? null : () => Promise.reject(toldOf(error, 'use'));
  }
}
