/**
 * Speaks new bubbles to screen readers: a hidden log that is empty when the page opens, and forgets each line after a
 * second. Must never say what the person typed.
 */
import { useEffect, useState } from 'react';

const KEEP = 1000;
const SLOW = 4000;

type Props = {
  news: readonly string[];
  /** An answer is on its way; said only when it takes long. */
  busy: boolean;
};

export function Announcer({ news, busy }: Props) {
  const [lines, setLines] = useState<readonly string[]>([]);

  useEffect(() => {
    if (news.length === 0) {
      return;
    }
    setLines(news);
    const timer = setTimeout(() => setLines([]), KEEP);
    return () => clearTimeout(timer);
  }, [news]);

  useEffect(() => {
    if (!busy) {
      return;
    }
    const timer = setTimeout(() => setLines(['Invio in corso, attendi.']), SLOW);
    return () => {
      clearTimeout(timer);
      setLines([]);
    };
  }, [busy]);

  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label="Nuovi messaggi">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}
