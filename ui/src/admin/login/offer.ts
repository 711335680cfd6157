/** Whether one can log in by passkey here. Must stay small: every login page pays for it. */
import { useCallback, useEffect, useState } from 'react';
import { type AnswerTo, call } from '../../shared/api/client';

export type Offer = AnswerTo<'/session/passkey/question', 'post'> & {
  /** When it was made, in milliseconds; 0 once its question was used. */
  at: number;
};

export interface Offered {
  offer: Offer | null;
  /** Asks for a new question; without an answer the old one stays. */
  renew: () => Promise<Offer>;
  spend: () => void;
}

/** Asks only while there is no session. Unanswered, the page is as if there were no passkeys. */
export function useOffer(wanted: boolean): Offered {
  const [offer, setOffer] = useState<Offer | null>(null);
  const renew = useCallback(async () => {
    const answer = await call('post', '/session/passkey/question', { body: {} });
    const made = { ...answer, at: Date.now() };
    setOffer(made);
    return made;
  }, []);
  useEffect(() => {
    if (wanted) {
      renew().catch(() => undefined);
    }
  }, [wanted, renew]);
  const spend = useCallback(() => setOffer((before) => before && { ...before, at: 0 }), []);
  return { offer, renew, spend };
}
