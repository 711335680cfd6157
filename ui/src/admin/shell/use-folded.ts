import { useState, useSyncExternalStore } from 'react';
import { useMatch } from 'react-router-dom';
import { ownKey } from '../../shared/lib/boot';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { paths } from '../common/paths';

const narrow = window.matchMedia('(width < 64rem)');
/** Too narrow for menu, list and report beside each other. */
const close = window.matchMedia('(width < 90rem)');

function useMedia(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => query.matches,
  );
}

const place = () => [openStore('localStorage'), ownKey('menu')] as const;

/** Whether the menu is a rail: by itself where room is short, until its owner chooses. */
export function useFolded(): [folded: boolean, fold: (folded: boolean) => void] {
  const [chosen, setChosen] = useState(() => readJson(...place()));
  const reading = useMatch(`${paths.reports}/:id`) !== null;
  const [isNarrow, isClose] = [useMedia(narrow), useMedia(close)];
  const folded = typeof chosen === 'boolean' ? chosen : isNarrow || (isClose && reading);
  const fold = (next: boolean) => {
    setChosen(next);
    writeJson(...place(), next);
  };
  return [folded, fold];
}
