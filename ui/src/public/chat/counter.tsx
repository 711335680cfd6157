/** How much of an account is written. Must count as the server does: in characters, never in UTF-16 units. */
import type { Boot } from '../../shared/lib/boot';
import { counted, sizeOf } from '../../shared/lib/text';
import styles from './composer.module.css';

function measure(text: string): readonly [length: number, words: number] {
  return [[...text.trim()].length, text.match(/\S+/gu)?.length ?? 0];
}

/** Whether an account is as long as it has to be. */
export function isEnough(text: string, least: Boot['minimum']): boolean {
  const [length, words] = measure(text);
  return least === undefined || (length >= least.chars && words >= least.words);
}

/** With what an account needs as long as it lacks it. */
function progressOf(text: string, least: Boot['minimum']): string {
  const [length, words] = measure(text);
  return least !== undefined && !isEnough(text, least)
    ? `${length} di ${counted(least.chars, 'carattere', 'caratteri')}, ${words} di ${counted(least.words, 'parola', 'parole')}`
    : sizeOf(text);
}

/** Share of the characters that an answer may have from which it says how many it has. */
const NEAR = 0.8;

/** `most`: characters that it may have. */
export function Counter({ text, least, most }: { text: string; least?: Boot['minimum']; most?: number }) {
  const length = [...text.trim()].length;
  if (most !== undefined && length < NEAR * most) {
    return null;
  }
  return (
    <p id="answer-counter" className={styles.counter}>
      {most === undefined
        ? progressOf(text, least)
        : `${length} di ${counted(most, 'carattere', 'caratteri')}`}
    </p>
  );
}
