/** One box for everything: what can be done here, and what can be found. Must run nothing before it is closed. */
import { keepPreviousData } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router-dom';
import { formatDate } from '../../shared/lib/dates';
import { Modal } from '../../shared/ui/dialog';
import { TextInput } from '../../shared/ui/text-input';
import { useKnownCallouts } from '../common/callouts';
import { type Choice, EVERYWHERE } from '../common/keys/shortcut';
import { fromFound, Marked, matches, wordsOf } from '../common/list/marked';
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
/** From so many on accounts are searched too: fewer stand in nearly all of them. */
const TEXT_LETTERS = 3;
const FOUND = 8;
const RECENT = 5;

const named = (label: string, typed: string) => wordsOf(typed).every((word) => matches(label, word));

/** The pages first: a command of this screen is known by its key. */
const pagesFirst = (choices: readonly Choice[]): Choice[] =>
  choices.toSorted((one, other) => Number(isWay(other)) - Number(isWay(one)));

const isWay = ({ keys }: Choice) => keys?.startsWith('g ') === true;

/** Reports by what is typed, those found by name first; while nothing is, the newest. */
function useReports(typed: string, everything: boolean): Choice[] {
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const asked = everything && search.length >= LETTERS;
  const inText = asked && search.length >= TEXT_LETTERS;
  const placeholderData = keepPreviousData;
  const newest = useRead('/reports', {
    with: { query: { limit: RECENT } },
    background: true,
    enabled: everything,
  });
  const byName = useRead('/reports', {
    with: { query: { search, limit: FOUND } },
    enabled: asked,
    placeholderData,
  });
  const byText = useRead('/reports', {
    with: { query: { search, inText: true, limit: FOUND } },
    enabled: inText,
    placeholderData,
  });
  const rowsOf = ({ data }: typeof byName) => data?.data ?? [];
  const found = typed.trim() === '' ? rowsOf(newest) : asked ? rowsOf(byName) : [];
  const names = new Set(found.map(({ id }) => id));
  const texts = typed.trim() !== '' && inText ? rowsOf(byText).filter(({ id }) => !names.has(id)) : [];
  return [...found, ...texts].slice(0, FOUND).map((report) => ({
    label: reporterName(report),
    detail: report.excerpt,
    group: formatDate(report.data_creazione),
    run: () => navigate(paths.report(report.id)),
  }));
}

/** People, stories, callouts and pages of the settings by the typed name. */
function useKnown(typed: string): Choice[] {
  const navigate = useNavigate();
  const { administers } = useRights();
  const { present } = usePeople();
  const callouts = useKnownCallouts();
  const stories = useKnownStories();
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
  return typed.trim().length < LETTERS ? [] : known.filter(({ label }) => named(label, typed));
}

export function Palette({ title, choices, everything = false, onClose }: PaletteProps) {
  const id = useId();
  const [within, setWithin] = useState<Choice | null>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const whole = everything && within === null;
  const reports = useReports(typed, whole);
  const known = useKnown(typed);
  const own = (within?.choices?.() ?? choices).filter(({ label }) => named(label, typed));
  const recent = whole && typed.trim() === '';
  const others = whole ? [...pagesFirst(own), ...known] : own;
  const shown = recent ? [...reports, ...others] : whole ? [...others, ...reports] : own;
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
        placeholder={
          everything && within === null ? 'Una segnalazione, una pagina, un comando…' : `${label}…`
        }
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
            {choice.detail ? (
              <q>
                <Marked text={fromFound(choice.detail, typed)} search={typed} />
              </q>
            ) : null}
            {choice.group && choice.group !== EVERYWHERE ? <small>{choice.group}</small> : null}
            {choice.keys ? <Keys keys={choice.keys} /> : null}
          </div>
        ))}
      </div>
      <p role="status" className={shown.length > 0 ? 'visually-hidden' : styles.nothing}>
        {shown.length === 0 ? 'Niente di simile.' : ''}
      </p>
    </Modal>
  );
}
