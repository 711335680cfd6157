/** Scrolls along only while the reader is near the end. Must never move the focus. */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Later } from '../use-later';
import type { Message, Step } from './conversation';
import { Correct } from './correct';
import styles from './transcript.module.css';

const NEAR = 96;
/** Pixels below which the transcript shows no more than a few lines. */
const SLIVER = 160;

type Props = {
  assistant: string;
  messages: readonly Message[];
  typing: boolean;
  notice: ReactNode;
  later: Later | null;
  onCorrect: ((step: Step) => void) | undefined;
};

/** A long text of the assistant is several short bubbles; what the person wrote stays one. */
function paragraphs({ from, text }: Message): readonly string[] {
  return from === 'bot' ? text.split('\n\n') : [text];
}

function toEnd(region: HTMLElement | null): void {
  region?.querySelector('li:last-child')?.scrollIntoView({ block: 'end' });
}

function isNearEnd(region: HTMLElement): boolean {
  return region.scrollHeight - region.scrollTop - region.clientHeight < NEAR;
}

export function Transcript({ assistant, messages, typing, notice, later, onCorrect }: Props) {
  const region = useRef<HTMLElement>(null);
  const following = useRef(true);
  const [behind, setBehind] = useState(false);
  const last = messages.at(-1);
  // The question that comes is below, wherever the answer stands.
  const correct =
    onCorrect &&
    ((step: Step) => {
      following.current = true;
      onCorrect(step);
    });

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new bubble, and for the dots
  useLayoutEffect(() => {
    // The first bubble is the welcome, which is read from its beginning.
    if (messages.length < 2) {
      return;
    }
    if (following.current || last?.from === 'user') {
      toEnd(region.current);
    } else {
      setBehind(true);
    }
  }, [messages, typing]);

  // The box grows, the keyboard opens, a notice appears: the last words stay in sight.
  useEffect(() => {
    const watcher = new ResizeObserver(() => {
      const seen = region.current;
      // With the keyboard open hardly anything is seen of the welcome: then its end, which is the question.
      if (
        following.current &&
        seen &&
        (seen.querySelectorAll('li').length > 1 || seen.clientHeight < SLIVER)
      ) {
        toEnd(seen);
      }
    });
    if (region.current !== null) {
      watcher.observe(region.current);
    }
    return () => watcher.disconnect();
  }, []);

  const scrolled = () => {
    following.current = region.current === null || isNearEnd(region.current);
    if (following.current) {
      setBehind(false);
    }
  };

  return (
    <div className={styles.frame}>
      <section
        className={styles.region}
        ref={region}
        onScroll={scrolled}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
        tabIndex={0}
        aria-label="Conversazione"
      >
        {notice}
        <ol className="bubbles">
          {messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: bubbles are only ever added or taken off at the end
            <li key={index} className="bubble" data-from={message.from} data-refused={message.refused}>
              {message.from === 'user' ? (
                <span className="visually-hidden">Tu: </span>
              ) : (
                <span className={messages[index - 1]?.from === 'bot' ? 'visually-hidden' : 'bubble-name'}>
                  {assistant}
                  <span className="visually-hidden">: </span>
                </span>
              )}
              {message.refused && <span className="visually-hidden">Risposta non accettata. </span>}
              {message.summary && later && <later.Summary lines={message.summary} onCorrect={correct} />}
              {paragraphs(message).map((text, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change
                <p key={place} className="bubble-text">
                  {text}
                </p>
              ))}
              {message.step && correct && <Correct step={message.step} onCorrect={correct} />}
            </li>
          ))}
          {typing && (
            <li className="bubble" data-from="bot" aria-hidden="true">
              <span className="typing" data-testid="typing">
                <i className="typing-dot" />
                <i className="typing-dot" />
                <i className="typing-dot" />
              </span>
            </li>
          )}
        </ol>
      </section>
      {behind && (
        <button type="button" className={`button ${styles.jump}`} onClick={() => toEnd(region.current)}>
          Nuovi messaggi
        </button>
      )}
    </div>
  );
}
