/** The conversation in the tab's storage. Must never outlive it: then only what the end shows stays, of a minor nothing. */
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { type Conversation, heldBy, isPristine, newConversation } from './conversation';

const SHAPE = 9;

type StoredConversation = Conversation & { shape: typeof SHAPE };

const keyOf = (slug: string) => `${slug}_chat`;
/** The key of the conversation's files (`files.ts`). */
const filesOf = (slug: string) => `${slug}_files`;

/** Only this page writes under this key, and a change of shape changes `SHAPE`: more need not be looked at. */
function isKept(value: unknown): value is StoredConversation {
  return (value as StoredConversation | undefined)?.shape === SHAPE;
}

export function remember(slug: string, state: Conversation): void {
  const store = openStore('sessionStorage');
  if (
    state.phase === 'ended' ||
    // The end is shown again once.
    (state.phase === 'done' && (state.farewell + state.receipt === '' || state.messages.length === 1)) ||
    isPristine(state)
  ) {
    store?.removeItem(keyOf(slug));
    return;
  }
  if (state.phase === 'done') {
    const { phase, farewell, receipt, unreachable, helped } = state;
    const begun = newConversation(farewell);
    writeJson(store, keyOf(slug), {
      ...begun,
      messages: [...begun.messages, ...heldBy(state)],
      phase,
      farewell,
      receipt,
      unreachable,
      helped,
      shape: SHAPE,
    } satisfies StoredConversation);
    return;
  }
  // A message is announced once.
  writeJson(store, keyOf(slug), {
    ...state,
    news: [],
    checking: false,
    shape: SHAPE,
  } satisfies StoredConversation);
}

export const keptKey = (slug: string, id: number) => `${slug}_report_${id}`;

function isWaiting(slug: string, id: number): boolean {
  return typeof openStore('localStorage')?.getItem(keptKey(slug, id)) === 'string';
}

/** The conversation this tab was in, unless its report has left this browser meanwhile; an answer that was on its way is on its way again. */
export function recall(slug: string): Conversation | undefined {
  const store = openStore('sessionStorage');
  const kept = readJson(store, keyOf(slug));
  if (!isKept(kept) || (kept.keptId !== null && !isWaiting(slug, kept.keptId))) {
    // They were of another one.
    store?.removeItem(filesOf(slug));
    return undefined;
  }
  const { shape: _, ...resumed } = kept;
  return resumed;
}
