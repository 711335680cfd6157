/** A text in which a mark and a few letters bring what is ready: a name, a sentence. */
import { type ComponentPropsWithRef, type KeyboardEvent, useId, useState } from 'react';
import styles from './composer.module.css';

export interface Ready {
  mark: '@' | '#';
  label: string;
  /** Takes the place of the mark and of what was typed behind it. */
  text: string;
}

/** A mark at the beginning of a word, and what is typed behind it up to the cursor. */
const ASKED = /(?:^|\s)([@#])([^\n@#]{0,40})$/u;
/** As many as can be looked over. */
const MOST = 6;

const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

interface Offer {
  ready: readonly Ready[];
  /** Where the mark stands, and where the cursor. */
  from: number;
  to: number;
}

/** The suggestions at the cursor; null for none. */
function offerAt(text: string, cursor: number, ready: readonly Ready[]): Offer | null {
  const [, mark, typed = ''] = ASKED.exec(text.slice(0, cursor)) ?? [];
  const wanted = plain(typed);
  const fitting = ready.filter((one) => one.mark === mark && plain(one.label).includes(wanted));
  return fitting.length > 0
    ? { ready: fitting.slice(0, MOST), from: cursor - typed.length - 1, to: cursor }
    : null;
}

interface SuggestingAreaProps
  extends Omit<ComponentPropsWithRef<'textarea'>, 'value' | 'onChange' | 'onKeyDown' | 'aria-label'> {
  label: string;
  value: string;
  ready: readonly Ready[];
  onValue: (text: string) => void;
}

export function SuggestingArea({ label, value, ready, onValue, ...box }: SuggestingAreaProps) {
  const id = useId();
  const [offer, setOffer] = useState<Offer | null>(null);
  const [at, setAt] = useState(0);
  const take = (area: HTMLTextAreaElement, { ready: offered, from, to }: Offer, which: number) => {
    const text = offered[which]?.text ?? '';
    onValue(value.slice(0, from) + text + value.slice(to));
    setOffer(null);
    area.focus();
    // Behind what was put there, once it is.
    requestAnimationFrame(() => area.setSelectionRange(from + text.length, from + text.length));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      // The second time it leaves the box, and the keys are commands again.
      offer ? setOffer(null) : event.currentTarget.blur();
      return;
    }
    if (!offer || event.ctrlKey || event.metaKey) {
      return;
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      setAt((at + by + offer.ready.length) % offer.ready.length);
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      event.preventDefault();
      take(event.currentTarget, offer, at);
    }
  };
  return (
    <div className={styles.suggesting}>
      <textarea
        {...box}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={offer ? id : undefined}
        aria-activedescendant={offer ? `${id}-${at}` : undefined}
        value={value}
        onChange={({ target }) => {
          onValue(target.value);
          setOffer(offerAt(target.value, target.selectionStart, ready));
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOffer(null)}
      />
      {offer ? (
        <div id={id} role="listbox" aria-label="Proposte" className={styles.offers}>
          {offer.ready.map((one, place) => (
            <div
              key={one.text}
              id={`${id}-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === at}
              onPointerDown={(event) => {
                // The box keeps the focus.
                event.preventDefault();
                if (document.activeElement instanceof HTMLTextAreaElement) {
                  take(document.activeElement, offer, place);
                }
              }}
            >
              {one.label}
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}
