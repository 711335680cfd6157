/** Light or dark: each person's choice in their browser. What the newsroom has set is what it begins with. */
import { useId, useSyncExternalStore } from 'react';
import { openStore, writeJson } from '../../shared/lib/storage';
import { Radio } from '../../shared/ui/checkbox';
import { KEY, THEMES, type Theme } from './own-theme';
import styles from './theme-choice.module.css';

const LABELS: Readonly<Record<Theme, string>> = {
  light: 'Chiaro',
  dark: 'Scuro',
  'light dark': 'Come il dispositivo',
};

const page = document.documentElement;

function watch(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(page, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** Takes effect at once. */
export function ThemeChoice() {
  const name = useId();
  const now = useSyncExternalStore(watch, () => page.dataset.theme);
  const shown = now === 'light' || now === 'dark' ? now : 'light dark';
  const choose = (theme: Theme) => {
    writeJson(openStore('localStorage'), KEY, theme);
    page.dataset.theme = theme;
  };
  return (
    <fieldset className={styles.themes}>
      <legend>Tema</legend>
      {THEMES.map((theme) => (
        <Radio key={theme} name={name} checked={theme === shown} onChange={() => choose(theme)}>
          {LABELS[theme]}
        </Radio>
      ))}
    </fieldset>
  );
}
