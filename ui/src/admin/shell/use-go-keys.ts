import { useMemo } from 'react';
import { useNavigate } from 'react-router-dom';
import { paths } from '../common/paths';
import { useShortcuts } from '../keyboard/keyboard-context';
import { EVERYWHERE } from '../keyboard/registry';
import { SCREENS } from './sidebar';

/** Second key of "go to", by the first part of the screen's address. */
const KEYS: Readonly<Record<string, { key: string; label: string }>> = {
  reports: { key: 's', label: 'Vai alle segnalazioni' },
  analytics: { key: 'a', label: 'Vai alle statistiche' },
  deliveries: { key: 'c', label: 'Vai alle consegne' },
  prompts: { key: 'p', label: 'Vai alle frasi della chat' },
  settings: { key: 'i', label: 'Vai alle impostazioni' },
};

/** The first address of the sidebar for each part that has a key: only screens that exist get one. */
function targets(): { key: string; label: string; to: string }[] {
  return Object.entries(KEYS).flatMap(([part, { key, label }]) => {
    const item = SCREENS.find(({ to }) => to.startsWith(`${paths.admin}/${part}`));
    return item ? [{ key, label, to: item.to }] : [];
  });
}

/** `g`, then a letter, leads to a screen of the sidebar. */
export function useGoKeys(): void {
  const navigate = useNavigate();
  const shortcuts = useMemo(
    () =>
      targets().map(({ key, label, to }) => ({
        keys: `g ${key}`,
        label,
        group: EVERYWHERE,
        run: () => navigate(to),
      })),
    [navigate],
  );
  useShortcuts(shortcuts);
}
