import { useEffect, useState } from 'react';

/** How long a sentence stays in the region: shorter is too fast for some readers, longer is read twice. */
const KEEP_MS = 1000;

const listeners = new Set<(text: string) => void>();

/** Says a sentence to screen readers when they have a pause. Shows nothing. */
export function announce(text: string): void {
  for (const listener of listeners) {
    listener(text);
  }
}

/** The region that speaks; mounted once per page, empty, before there is anything to say. */
export function Announcer({ label = 'Avvisi' }: { label?: string }) {
  const [said, setSaid] = useState<readonly { key: number; text: string }[]>([]);

  useEffect(() => {
    let key = 0;
    const listener = (text: string) => {
      key += 1;
      const mine = { key, text };
      setSaid((before) => [...before, mine]);
      setTimeout(() => setSaid((before) => before.filter((one) => one !== mine)), KEEP_MS);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);

  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label={label}>
      {said.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}
