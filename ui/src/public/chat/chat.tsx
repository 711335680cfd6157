/** The conversation on the screen: notice, transcript, what waits to be sent, and the box or what took its place. */
import { useCallback } from 'react';
import type { Boot } from '../../shared/lib/boot';
import { slugOf } from '../../shared/lib/slug';
import type { Reach } from '../use-status';
import { Announcer } from './announcer';
import styles from './chat.module.css';
import { Closing } from './closing';
import { Composer } from './composer';
import { type Conversation, isPristine, STEPS } from './conversation';
import { positionOf } from './field-hints';
import { Kept } from './kept';
import type { KeptNoticesProps } from './kept-notices';
import { PrivacyNotice } from './privacy-notice';
import { Transcript } from './transcript';
import { useChat } from './use-chat';

/** Answered questions, for the bar: all of them once the conversation is over. */
function answered(state: Conversation): number {
  const open = state.phase === 'asking' || state.phase === 'sending';
  return open ? positionOf(state.step) - 1 : STEPS.length;
}

export function Chat({ boot, reach }: { boot: Boot; reach: Reach }) {
  const slug = slugOf(boot.branding.productName);
  const [state, dispatch] = useChat(boot.welcome, slug);

  const delivered = useCallback(() => dispatch({ type: 'delivered' }), [dispatch]);
  const released = useCallback(() => dispatch({ type: 'released' }), [dispatch]);
  const reopened = useCallback<KeptNoticesProps['onReopened']>(
    (reply, text, answers) => dispatch({ type: 'reopened', reply, text, answers }),
    [dispatch],
  );
  const restart = () => dispatch({ type: 'restarted', welcome: boot.welcome });
  const open = state.phase === 'asking' || state.phase === 'sending';

  return (
    <div className={styles.chat}>
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
        <Kept
          reachable={reach === 'online' || reach === 'demo'}
          ownId={state.keptId}
          canResume={!open || isPristine(state)}
          onDelivered={delivered}
          onReleased={released}
          onReopened={reopened}
        />
        {open ? (
          <Composer state={state} dispatch={dispatch} onRestart={restart} />
        ) : (
          <Closing phase={state.phase} onRestart={restart} />
        )}
      </div>
    </div>
  );
}
