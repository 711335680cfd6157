/** One box for everything: what can be done here, and what can be found. Must run nothing before it is closed. */
import { keepPreviousData } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router-dom';
import { Modal } from '../../shared/ui/dialog';
import { TextInput } from '../../shared/ui/text-input';
import { useKnownCallouts } from '../callouts/api';
import type { Choice } from '../common/keys/shortcut';
import { matches, wordsOf } from '../common/list/marked';
import { paths } from '../common/paths';
import { usePeople } from '../common/people/people';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { type SettingsPage, TITLES } from '../common/settings-pages';
import { useKnownStories } from '../common/stories';
import { useRead } from '../common/use-read';
import styles from './keyboard.module.css';
import { Keys } from './shortcut-sheet';

export interface PaletteProps {
  title: string;
  choices: readonly Choice[];
  /** Also people, pages of the settings, and reports by what is typed. */
  everything?: boolean;
  onClose: () => void;
}

const PAUSE_MS = 150;
const LETTERS = 2;
const FOUND = 8;

const named = (label: string, typed: string) => wordsOf(typed).every((word) => matches(label, word));

/** The results from the whole newsroom for the typed name. */
function useFound(typed: string, everything: boolean): Choice[] {
  const navigate = useNavigate();
  const { administers } = useRights();
  const { present } = usePeople();
  const callouts = useKnownCallouts();
  const stories = useKnownStories();
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const asked = everything && search.length >= LETTERS;
  const { data } = useRead('/reports', {
    with: { query: { search, limit: FOUND } },
    enabled: asked,
    placeholderData: keepPreviousData,
  });
  if (!everything || typed.trim().length < LETTERS) {
    return [];
  }
  const to = (address: string, label: string, group: string): Choice => ({
    label,
    group,
    run: () => navigate(address),
  });
  const pages = administers ? (Object.entries(TITLES) as [SettingsPage, string][]) : [];
  const known = [
    ...present.map(({ id, name }) => to(`${paths.reports}?assignedTo=${id}`, name, 'Le sue segnalazioni')),
    ...callouts.map(({ id, title }) => to(paths.answers(id), title, 'Inchiesta')),
    ...stories.map(({ id, title }) => to(paths.story(id), title, 'Storia')),
    ...pages.map(([page, title]) => to(paths.setting(page), title, 'Impostazioni')),
  ];
  const reports = asked ? (data?.data ?? []) : [];
  return [
    ...known.filter(({ label }) => named(label, typed)),
    ...reports.map((report) => to(paths.report(report.id), reporterName(report), 'Segnalazione')),
  ];
}

export function Palette({ title, choices, everything = false, onClose }: PaletteProps) {
  const id = useId();
  const [within, setWithin] = useState<Choice | null>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const found = useFound(typed, everything && within === null);
  const shown = [...(within?.choices?.() ?? choices).filter(({ label }) => named(label, typed)), ...found];
  const label = within?.label ?? title;
  const marked = Math.min(at, shown.length - 1);

  useEffect(() => {
    document.getElementById(`${id}-${marked}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, marked]);

  const type = (text: string) => {
    setTyped(text);
    setAt(0);
  };
  const take = (choice: Choice | undefined) => {
    if (choice?.choices) {
      setWithin(choice);
      type('');
    } else if (choice) {
      // First the focus goes back to where it was: what is done may be done with that.
      flushSync(onClose);
      choice.run?.();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      setAt((marked + by + shown.length) % Math.max(shown.length, 1));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      take(shown[marked]);
    }
  };
  return (
    <Modal light className={styles.palette} aria-label={label} onCancel={onClose}>
      <TextInput
        role="combobox"
        aria-label={label}
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length > 0 ? `${id}-${marked}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={everything && within === null ? 'Un comando, un nome, una pagina…' : `${label}…`}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={`${id}-list`} aria-label={label} className={styles.choices}>
        {shown.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the box keeps the focus and names the option
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what the box names
            key={index}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === marked}
            onClick={() => take(choice)}
          >
            <span>{choice.label}</span>
            {choice.group ? <small>{choice.group}</small> : null}
            {choice.keys ? <Keys keys={choice.keys} /> : null}
          </div>
        ))}
      </div>
      <p role="status" className={shown.length > 0 ? 'visually-hidden' : styles.nothing}>
        {shown.length === 0 ? 'Niente con questo nome.' : ''}
      </p>
    </Modal>
  );
}
