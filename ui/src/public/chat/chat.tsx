/** The conversation on the screen: notice, transcript, what waits to be sent, and the box or what took its place. */
import { useCallback, useEffect } from 'react';
import type { Boot } from '../../shared/lib/boot';
import { slugOf } from '../../shared/lib/text';
import type { Reach } from '../use-status';
import { Announcer } from './announcer';
import styles from './chat.module.css';
import { Closing } from './closing';
import { Composer } from './composer';
import { type Conversation, isPristine, STEPS } from './conversation';
import { positionOf } from './field-hints';
import { KeptNotices } from './kept-notices';
import { answersOf } from './outbox';
import { PrivacyNotice } from './privacy-notice';
import { Transcript } from './transcript';
import { useChat } from './use-chat';
import { type Delivery, useOutbox } from './use-outbox';

/** Answered questions, for the bar: all of them once the conversation is over. */
function answered(state: Conversation): number {
  const open = state.phase === 'asking' || state.phase === 'sending';
  return open ? positionOf(state.step) - 1 : STEPS.length;
}

export function Chat({ boot, reach }: { boot: Boot; reach: Reach }) {
  const slug = slugOf(boot.branding.productName);
  const [state, dispatch] = useChat(boot.welcome, slug);
  const outbox = useOutbox(slug, reach === 'online' || reach === 'demo');
  const { deliveries, refresh, remove } = outbox;
  const { keptId } = state;

  useEffect(() => {
    if (keptId !== null) {
      refresh();
    }
  }, [keptId, refresh]);

  const resume = useCallback(
    ({ report, reply }: Delivery) => {
      if (reply !== undefined) {
        dispatch({ type: 'reopened', reply, text: report.text, answers: answersOf(report) });
        remove(report.id);
      }
    },
    [dispatch, remove],
  );

  const own = keptId === null ? undefined : deliveries.find((item) => item.report.id === keptId);
  useEffect(() => {
    if (own?.state === 'sent') {
      dispatch({ type: 'delivered' });
    } else if (own?.state === 'refused') {
      resume(own);
    }
  }, [own, dispatch, resume]);

  const discard = (id: number) => {
    remove(id);
    if (id === keptId) {
      dispatch({ type: 'released' });
    }
  };

  const restart = () => dispatch({ type: 'restarted', welcome: boot.welcome });
  const open = state.phase === 'asking' || state.phase === 'sending';

  return (
    <main className={styles.chat}>
      <progress
        className={styles.progress}
        max={STEPS.length}
        value={answered(state)}
        aria-label="Domande completate"
      />
      <Transcript
        assistant={boot.branding.assistantName}
        messages={state.messages}
        typing={state.phase === 'sending'}
        notice={<PrivacyNotice text={boot.privacy.text} url={boot.privacy.url} />}
      />
      <Announcer news={state.news} busy={state.phase === 'sending'} />
      <div className={styles.foot}>
        <KeptNotices
          deliveries={deliveries}
          ownId={keptId}
          canResume={!open || isPristine(state)}
          onHurry={outbox.hurry}
          onRemove={discard}
          onResume={resume}
        />
        {open ? (
          <Composer state={state} dispatch={dispatch} onRestart={restart} />
        ) : (
          <Closing phase={state.phase} onRestart={restart} />
        )}
      </div>
    </main>
  );
}
