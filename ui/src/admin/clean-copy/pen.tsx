/** The account with a pen: a word or a selection is covered or uncovered by mouse, finger or key. */
import { Fragment, memo, useId, useRef } from 'react';
import type { Span } from '../../shared/api/schema';
import { Text } from '../../shared/ui/layout';
import { COVERED, flagsOf, isWithin, OPEN, partsOf } from './places';
import { usePointing } from './use-pointing';
import { useWordKeys } from './use-word-keys';

/** Words by their place among all: from the one that stays to the one that moves; -1 before any was pointed at. */
export interface Chosen {
  anchor: number;
  active: number;
}

export interface PenProps {
  characters: readonly string[];
  words: readonly Span[];
  spans: readonly Span[];
  /** Proposals that were not looked at yet. */
  open: readonly Span[];
  /** What is covered is legible, struck through. */
  beneath: boolean;
  chosen: Chosen;
  onChosen: (chosen: Chosen) => void;
  /** Covers a place, or uncovers one that is covered as a whole. */
  onToggle: (place: Span) => void;
  /** A selection that the browser's own handles may still change. */
  onMarked: (place: Span | null) => void;
}

/** Room for a finger. One that goes sideways covers, one that goes up or down scrolls. */
const ROOMY = { lineHeight: 2, touchAction: 'pan-y pinch-zoom' };

/** Struck through besides, which shows where the system has colours of its own. */
const BLACK = { background: 'var(--text)', color: 'transparent' };
const POINTED_AT = { outline: '2px solid var(--focus)' };

export function Pen(props: PenProps) {
  const { characters, words, spans, open, beneath, chosen } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const pointing = usePointing(box, props);
  const onKeyDown = useWordKeys(box, props);
  const flags = flagsOf(characters.length, spans, open);
  const low = Math.min(chosen.anchor, chosen.active);
  const high = Math.max(chosen.anchor, chosen.active);
  const end = words.at(-1)?.end ?? 0;
  return (
    <>
      <p id={`${id}-how`} className="visually-hidden">
        Frecce: di parola in parola. Maiusc e frecce: più parole. Spazio: copri o scopri.
      </p>
      <Text
        as="div"
        kept
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-multiselectable="true"
        aria-label="Parole del racconto: quelle selezionate sono coperte"
        aria-describedby={`${id}-how`}
        aria-activedescendant={chosen.active >= 0 ? `${id}-${chosen.active}` : undefined}
        style={ROOMY}
        onKeyDown={onKeyDown}
        {...pointing}
      >
        {words.map((word, at) => {
          const from = words[at - 1]?.end ?? 0;
          return (
            <Word
              key={word.start}
              id={`${id}-${at}`}
              at={at}
              gap={characters.slice(from, word.start).join('')}
              text={characters.slice(word.start, word.end).join('')}
              flags={flags.slice(from, word.end)}
              covered={isWithin(word, spans)}
              beneath={beneath}
              chosen={low <= at && at <= high}
            />
          );
        })}
        <Parts beneath={beneath} text={characters.slice(end).join('')} flags={flags.slice(end)} />
      </Text>
    </>
  );
}

interface WordProps {
  id: string;
  at: number;
  /** What stands between the word before and this one. */
  gap: string;
  text: string;
  /** Of the gap and the text. */
  flags: string;
  covered: boolean;
  beneath: boolean;
  chosen: boolean;
}

const Word = memo(function Word({ id, at, gap, text, flags, covered, beneath, chosen }: WordProps) {
  const start = [...gap].length;
  return (
    <>
      <Parts beneath={beneath} text={gap} flags={flags.slice(0, start)} />
      {/* biome-ignore lint/a11y/useFocusableInteractive: the list has the focus; a selection could not begin in a word that takes it */}
      <span
        role="option"
        id={id}
        aria-selected={covered}
        data-word={at}
        style={chosen ? POINTED_AT : undefined}
      >
        <Parts beneath={beneath} text={text} flags={flags.slice(start)} />
      </span>
    </>
  );
});

interface PartsProps {
  text: string;
  flags: string;
  beneath: boolean;
}

function Parts({ text, flags, beneath }: PartsProps) {
  return partsOf(text, flags).map(({ at, text: part, flag }) => {
    if (flag === COVERED) {
      return beneath ? (
        <del key={at}>{part}</del>
      ) : (
        <s key={at} style={BLACK}>
          {part}
        </s>
      );
    }
    return flag === OPEN ? <u key={at}>{part}</u> : <Fragment key={at}>{part}</Fragment>;
  });
}
