/** The answer to a proposal, and how it is taken back. Must never decide on a report that was not shown. */
import { call } from '../../shared/api/client';
import type { CalloutQuestion, MessagesSent } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { useAction } from '../common/action';
import { useKeyRegistry } from '../common/keys/registry';
import { useToast } from '../common/toast';
import { useRefresh } from '../common/use-read';
import { sentText, TIMEOUT_MS, takenBackText, unreached } from '../letters/batches';
import { type Draft, type Proposal, sizeOf } from './api';

interface Deciding {
  proposal: Proposal;
  draft: Draft;
  onDone: () => void;
  onUndone: () => void;
  onRefused: (refused: MessagesSent['refused']) => void;
}

export function useDecision({ proposal, draft, onDone, onUndone, onRefused }: Deciding) {
  const { key, story, heads, reports: shown } = proposal;
  const action = useAction();
  const refresh = useRefresh();
  const keys = useKeyRegistry();
  const { show } = useToast();
  const kept = heads.filter(({ id }) => !draft.without.includes(id));
  const without = shown.filter((id) => draft.without.includes(id));
  const typed = draft.title.trim();
  const title = (story ? proposal.title : typed) || sizeOf(kept.length);
  const enough = kept.length >= (story ? 1 : 2);

  const decide = async (
    body: { accept: false } | { accept: true; text?: string; questions?: CalloutQuestion[] },
    told: (message: MessagesSent | null) => string,
  ) => {
    const more = body.accept && { without, ...(!story && typed && { title: typed }) };
    const path = { key };
    // The keys pressed meanwhile are meant for the proposal that is open then.
    const arrived = keys.hold();
    try {
      const { undo, message } = await call('post', '/stories/proposals/{key}', {
        path,
        body: { shown, ...body, ...more },
        timeoutMs: TIMEOUT_MS,
      });
      onDone();
      onRefused(message ? unreached(message, heads) : []);
      show({
        text: told(message),
        undo: async () => {
          await call('post', '/stories/proposals/{key}/undo', { path, body: { undo } });
          await refresh();
          onUndone();
          const also = message ? ` · ${takenBackText(message.sent)}` : '';
          return `Di nuovo proposta: «${proposal.title ?? title}»${also}`;
        },
      });
      await refresh();
    } finally {
      arrived();
    }
  };
  const many = `«${title}»: una storia di ${formatNumber(kept.length)}`;
  return {
    kept,
    enough,
    title,
    action,
    accept: () => {
      const told = story ? `Nella storia «${title}»: ${sizeOf(kept.length)}` : many;
      return enough && action.run(() => decide({ accept: true }, () => told));
    },
    refuse: () =>
      action.run(() => decide({ accept: false }, () => `«${proposal.title ?? title}»: cose diverse`)),
    send: (text: string) =>
      decide(
        { accept: true, text, questions: [...draft.questions] },
        (message) => `${sentText(message?.sent ?? 0)} · ${many}`,
      ),
  };
}
