import { useEffect, useState } from 'react';

/** How long a sentence stays in the region: shorter is too fast for some readers, longer is read twice. */
const KEEP_MS = 1000;

type Listener = (text: string) => void;
const listeners = new Set<Listener>();

/** Says a sentence to screen readers when they have a pause. Shows nothing. */
export function announce(text: string): void {
  for (const listener of listeners) {
    listener(text);
  }
}

/** The region that speaks; mounted once per page, empty, before there is anything to say. */
export function Announcer() {
  const [said, setSaid] = useState<readonly { key: number; text: string }[]>([]);

  useEffect(() => {
    let key = 0;
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const listener: Listener = (text) => {
      key += 1;
      const mine = key;
      setSaid((before) => [...before, { key: mine, text }]);
      const timer = setTimeout(() => {
        timers.delete(timer);
        setSaid((before) => before.filter((item) => item.key !== mine));
      }, KEEP_MS);
      timers.add(timer);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      for (const timer of timers) {
        clearTimeout(timer);
      }
    };
  }, []);

  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label="Avvisi">
      {said.map((item) => (
        <p key={item.key}>{item.text}</p>
      ))}
    </div>
  );
}
