/** What a mouse or a finger points at in the account. Must never cover what a page is scrolled by. */
import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { Span } from '../../shared/api/schema';
import type { PenProps } from './pen';
import { trimmed } from './places';

/** The place of the browser's own selection, where it lies in the account. */
function selected(box: HTMLElement | null, characters: readonly string[]): Span | null {
  const selection = window.getSelection();
  const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
  if (!box || !range || range.collapsed || !box.contains(range.commonAncestorContainer)) {
    return null;
  }
  // All of the account and nothing else stands in the box.
  const before = document.createRange();
  before.selectNodeContents(box);
  before.setEnd(range.startContainer, range.startOffset);
  const start = [...before.toString()].length;
  return trimmed(characters, { start, end: start + [...range.toString()].length });
}

function wordOf(element: EventTarget | null): number | null {
  const word = element instanceof Element ? element.closest<HTMLElement>('[data-word]') : null;
  return word ? Number(word.dataset.word) : null;
}

export function usePointing(box: RefObject<HTMLDivElement | null>, props: PenProps) {
  const { characters, words, chosen, onChosen, onToggle, onMarked } = props;
  const mouse = useRef(false);
  const finger = useRef<{ from: number; moved: boolean } | null>(null);

  useEffect(() => {
    const changed = () => {
      const place = mouse.current ? null : selected(box.current, characters);
      if (place) {
        finger.current = null;
        onMarked(place);
      }
    };
    document.addEventListener('selectionchange', changed);
    return () => document.removeEventListener('selectionchange', changed);
  }, [box, characters, onMarked]);

  const takeSelection = () => {
    const place = selected(box.current, characters);
    if (place) {
      onToggle(place);
      window.getSelection()?.removeAllRanges();
    }
    return place !== null;
  };
  return {
    onPointerDown: ({ pointerType, target }: PointerEvent) => {
      onMarked(null);
      mouse.current = pointerType === 'mouse';
      const from = wordOf(target);
      finger.current = mouse.current || from === null ? null : { from, moved: false };
    },
    /** A finger goes sideways over words: up and down it scrolls. */
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const over = finger.current && wordOf(document.elementFromPoint(clientX, clientY));
      if (finger.current && over !== null && (over !== finger.current.from || finger.current.moved)) {
        finger.current.moved = true;
        onChosen({ anchor: finger.current.from, active: over });
      }
    },
    onPointerCancel: () => {
      finger.current = null;
    },
    onPointerUp: () => {
      const [first, last] = [words[chosen.anchor], words[chosen.active]];
      if (finger.current?.moved && first && last) {
        onToggle({ start: Math.min(first.start, last.start), end: Math.max(first.end, last.end) });
        onChosen({ anchor: chosen.active, active: chosen.active });
      }
    },
    onClick: ({ target }: MouseEvent) => {
      const dragged = finger.current?.moved === true;
      finger.current = null;
      const at = wordOf(target);
      const word = at === null ? undefined : words[at];
      if (dragged || (mouse.current && takeSelection()) || at === null || !word) {
        mouse.current = false;
        return;
      }
      mouse.current = false;
      onChosen({ anchor: at, active: at });
      onToggle(word);
    },
  };
}
