import { Fragment } from 'react';
import styles from './marked.module.css';
import { markMatches } from './match';

/** A text with the places marked where the search stands. */
export function Marked({ text, search }: { text: string; search: string }) {
  let at = 0;
  return markMatches(text, search).map((part) => {
    const key = at;
    at += part.text.length;
    return part.found ? (
      <mark key={key} className={styles.mark}>
        {part.text}
      </mark>
    ) : (
      <Fragment key={key}>{part.text}</Fragment>
    );
  });
}
