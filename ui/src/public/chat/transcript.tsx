/** Scrolls along only while the reader is near the end. Must never move the focus. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Act } from '../act';
import type { Message, Step } from './conversation';
import { Correct } from './correct';
import styles from './transcript.module.css';
import { unbroken } from './unbroken';

const NEAR = 96;

type Props = {
  assistant: string;
  messages: readonly Message[];
  typing: boolean;
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

export function Transcript({ assistant, messages, typing, onCorrect }: Props) {
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
    if (following.current || last?.from === 'user') {
      toEnd(region.current);
    } else {
      setBehind(true);
    }
  }, [messages, typing]);

  // The box grows, the keyboard opens, a notice appears: the last words stay in sight.
  useEffect(() => {
    const watcher = new ResizeObserver(() => {
      if (following.current) {
        toEnd(region.current);
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
        <ol className="bubbles">
          {messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: bubbles are only ever added or taken off at the end
            <li key={index} className="bubble" data-from={message.from}>
              {message.from === 'user' ? (
                <span className="visually-hidden">Tu: </span>
              ) : (
                <span className={messages[index - 1]?.from === 'bot' ? 'visually-hidden' : 'bubble-name'}>
                  <span>{assistant}</span>
                  <span className="visually-hidden">: </span>
                </span>
              )}
              {paragraphs(message).map((text, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change
                <p key={place} className="bubble-text" translate={message.from === 'user' ? 'no' : undefined}>
                  {message.from === 'user' ? text : unbroken(text)}
                </p>
              ))}
              {message.step && correct && (
                <Correct step={message.step} question={messages[index - 1]?.text} onCorrect={correct} />
              )}
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
        <Act className={styles.jump} onClick={() => toEnd(region.current)}>
          Nuovi messaggi
        </Act>
      )}
    </div>
  );
}
