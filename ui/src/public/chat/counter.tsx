/** How much of an account is written. Must count as the server does: in characters, never in UTF-16 units. */
import type { Boot } from '../../shared/lib/boot';
import styles from './composer.module.css';

const count = (value: number, one: string, many: string) =>
  `${value.toLocaleString('it-IT')} ${value === 1 ? one : many}`;

/** With what an account needs as long as it lacks it. */
function counted(text: string, least: Boot['minimum']): string {
  const length = [...text.trim()].length;
  const words = text.match(/\S+/gu)?.length ?? 0;
  return least !== undefined && (length < least.chars || words < least.words)
    ? `${length} di ${count(least.chars, 'carattere', 'caratteri')}, ${words} di ${count(least.words, 'parola', 'parole')}`
    : `${count(length, 'carattere', 'caratteri')}, ${count(words, 'parola', 'parole')}`;
}

export function Counter({ text, least }: { text: string; least: Boot['minimum'] }) {
  return (
    <p id="answer-counter" className={styles.counter}>
      {counted(text, least)}
    </p>
  );
}
