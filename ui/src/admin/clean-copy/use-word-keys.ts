/** The account by keys, a word at a time. */
import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import { counted } from '../../shared/lib/text';
import { announce } from '../../shared/ui/announcer';
import type { PenProps } from './pen';
import { isWithin } from './places';

/** The word above or below one: the nearest of the line that follows. */
function wordOnLine(words: readonly Element[], from: number, step: 1 | -1): number {
  const here = words[from]?.getBoundingClientRect();
  if (!here) {
    return 0;
  }
  let [best, top, distance] = [from, Number.NaN, Number.POSITIVE_INFINITY];
  for (let at = from + step; at >= 0 && at < words.length; at += step) {
    const there = words[at]?.getBoundingClientRect();
    if (!there || Math.abs(there.top - here.top) < here.height / 2) {
      continue;
    }
    if (Number.isNaN(top)) {
      top = there.top;
    }
    if (Math.abs(there.top - top) >= here.height / 2) {
      break;
    }
    const away = Math.abs(there.left - here.left);
    if (away < distance) {
      [best, distance] = [at, away];
    }
  }
  return best;
}

export function useWordKeys(box: RefObject<HTMLDivElement | null>, props: PenProps) {
  const { words, spans, chosen, onChosen, onToggle } = props;
  const { active } = chosen;
  useEffect(() => {
    if (box.current === document.activeElement) {
      box.current?.querySelector(`[data-word="${active}"]`)?.scrollIntoView({ block: 'nearest' });
    }
  }, [box, active]);
  const onLine = (step: 1 | -1) =>
    wordOnLine([...(box.current?.querySelectorAll('[data-word]') ?? [])], active, step);
  const wayOf = (key: string): number | null => {
    switch (key) {
      case 'ArrowRight':
        return active + 1;
      case 'ArrowLeft':
        return active - 1;
      case 'ArrowDown':
        return onLine(1);
      case 'ArrowUp':
        return onLine(-1);
      case 'Home':
        return 0;
      case 'End':
        return words.length - 1;
      default:
        return null;
    }
  };
  const press = () => {
    const [low, high] = [Math.min(chosen.anchor, active), Math.max(chosen.anchor, active)];
    const [first, last] = [words[low], words[high]];
    if (first && last) {
      const place = { start: first.start, end: last.end };
      const many = counted(high - low + 1, 'parola', 'parole');
      announce(isWithin(place, spans) ? `Scoperto: ${many}` : `Coperto: ${many}`);
      onToggle(place);
      onChosen({ anchor: active, active });
    }
  };
  return (event: KeyboardEvent) => {
    const withOthers = event.ctrlKey || event.metaKey || event.altKey;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a') {
      event.preventDefault();
      onChosen({ anchor: 0, active: words.length - 1 });
      return;
    }
    const way = withOthers ? null : wayOf(event.key);
    const presses = !withOthers && (event.key === ' ' || event.key === 'Enter');
    if (way === null && !presses) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (way === null) {
      press();
    } else {
      const to = Math.max(0, Math.min(words.length - 1, way));
      onChosen({ anchor: event.shiftKey && active >= 0 ? chosen.anchor : to, active: to });
    }
  };
}
