/**
 * A message that must be read stands above the box until the person says that they have read it. Every word of it must show; its
 * numbers are links once, below it, where a thumb finds them.
 */
import { useEffect } from 'react';
import { Act } from '../act';
import styles from './pin.module.css';

/** Numbers of help, of a telephone, a mobile or a free one; hours, ages and years are none. */
const NUMBERS = /\b(11[2-8]|116 ?\d{3}|1522|19\d{3}|(?:0\d|3\d\d|800)(?: ?\d){5,8})(?!\d)/g;

/** Whom the well-known ones lead to; of others the text says that. */
const CAPTIONS: Record<string, string> = {
  '112': 'In pericolo adesso',
  '114': 'Emergenza Infanzia',
  '1522': 'Violenza e stalking',
  '19696': 'Telefono Azzurro',
  '0223272327': 'Telefono Amico',
};

const digitsOf = (number: string) => number.replaceAll(' ', '');

function Call({ number }: { number: string }) {
  return <a href={`tel:${digitsOf(number)}`}>{number}</a>;
}

/** Stays within reach once the words have been read. */
export function Numbers() {
  return (
    <p className={styles.reach}>
      Numeri di aiuto: <Call number="112" /> · <Call number="02 2327 2327" />
    </p>
  );
}

/** `onRead` is absent where there is nothing to go on to. */
export function Pin({ texts, onRead }: { texts: readonly string[]; onRead?: () => void }) {
  const numbers = new Set(texts.flatMap((text) => text.match(NUMBERS) ?? []));

  // A finger's keyboard gives way to what must be read.
  useEffect(() => {
    if (window.matchMedia('(pointer: coarse)').matches) {
      (document.activeElement as HTMLElement | null)?.blur();
    }
  }, []);

  return (
    <div className={styles.pin} role="alert">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: in a low window it is scrolled, also by keyboard */}
      <div className={styles.text} tabIndex={0}>
        {texts.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <ul className={styles.numbers}>
        {[...numbers].map((number) => (
          <li key={number}>
            <Call number={number} />
            <span>{CAPTIONS[digitsOf(number)]}</span>
          </li>
        ))}
      </ul>
      {onRead && <Act onClick={onRead}>Ho letto</Act>}
    </div>
  );
}
