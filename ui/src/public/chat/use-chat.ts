/** Must never send a turn twice with another text, nor keep anything of a conversation that is over. */
import { type Dispatch, useEffect, useReducer, useRef } from 'react';
import { type Boot, ownName } from '../../shared/lib/boot';
import { FAILED } from '../messages';
import { type Conversation, type Event, newConversation, reduce } from './conversation';
import { recall, remember } from './memory';

export function useChat(boot: Boot): [Conversation, Dispatch<Event>] {
  const [state, dispatch] = useReducer(reduce, boot.welcome, newConversation);
  const slug = ownName(boot);
  const latest = useRef(state);
  const resumed = useRef(false);

  useEffect(() => {
    latest.current = state;
    // The first render is the prerendered one: what the tab remembers is only read after it.
    if (resumed.current) {
      remember(slug, state);
    }
  }, [slug, state]);

  useEffect(() => {
    resumed.current = true;
    const conversation = recall(slug);
    if (conversation !== undefined) {
      dispatch({ type: 'restored', conversation });
    }
  }, [slug]);

  const { turn } = state;
  useEffect(() => {
    if (turn === null) {
      return;
    }
    const abort = new AbortController();
    import('../later')
      .then(({ talk }) => talk(boot, () => latest.current, turn, abort.signal, dispatch))
      .catch(() => dispatch({ type: 'failed', failure: FAILED, lost: false }));
    return () => abort.abort();
  }, [boot, turn]);

  return [state, dispatch];
}
