/** The one field of the list: it searches while one types, and completes to what the list can be narrowed by. */
import { Search, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { TextInput } from '../../shared/ui/text-input';
import { type ChangeFilters, type Filters, TABS, withFilter } from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { Marked } from '../common/list/marked';
import { useRead } from '../common/use-read';
import { type Condition, offered, useConditions } from './conditions';
import { useAsked } from './use-report-list';
import { useViewConditions } from './views';

interface FilterFieldProps {
  filters: Filters;
  onChange: ChangeFilters;
  searchBox: RefObject<HTMLInputElement | null>;
}

export function FilterField({ filters, onChange, searchBox }: FilterFieldProps) {
  const id = useId();
  const { typed, setTyped, without, choose } = useTyping(filters, onChange);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const views = useViewConditions();
  const known = useConditions();
  const found = open ? offered([...views, ...known], typed) : [];
  // The text alone needs no list: what it finds must not lie under one.
  const shown: readonly (Condition | null)[] = found.length > 0 && typed !== '' ? [...found, null] : found;
  const marked = shown[Math.min(at, shown.length - 1)];
  const nameOf = (one: Condition | null) => `${id}-${shown.indexOf(one)}`;
  const show = (text: string) => {
    setTyped(text);
    setOpen(true);
    setAt(0);
  };
  const after = ({ kind, change }: Condition) => (kind === 'Vista' ? change : withFilter(without, change));
  const take = (one: Condition | null) => {
    setOpen(false);
    if (one) {
      choose(after(one));
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && (typed !== '' || open)) {
      event.preventDefault();
      setTyped('');
      setOpen(false);
    } else if (event.key === 'Escape') {
      event.currentTarget.blur();
    } else if (event.key === 'Enter' && marked !== undefined && !event.nativeEvent.isComposing) {
      event.preventDefault();
      take(marked);
    } else if (by !== undefined) {
      event.preventDefault();
      setOpen(true);
      setAt((Math.min(at, shown.length) + (open ? by : 0) + shown.length) % Math.max(shown.length, 1));
    }
  };
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is offered goes when the field is left
    <div className={styles.field} onBlur={() => setOpen(false)}>
      <Search className={styles.icon} />
      <TextInput
        ref={searchBox}
        role="combobox"
        aria-label="Cerca o filtra"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={marked === undefined ? undefined : nameOf(marked)}
        aria-autocomplete="list"
        aria-keyshortcuts="/"
        enterKeyHint="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="Cerca o filtra: nome, racconto, reparto, persona, storia, data…"
        value={typed}
        onChange={(event) => show(event.target.value)}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
      />
      {typed === '' ? (
        <i>/</i>
      ) : (
        <Button
          variant="icon"
          className={styles.clear}
          aria-label="Cancella la ricerca"
          icon={<X />}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => {
            // The button goes with the text: the focus stays where one goes on typing.
            searchBox.current?.focus();
            setTyped('');
            setOpen(false);
          }}
        />
      )}
      <div
        role="listbox"
        id={`${id}-list`}
        aria-label="Filtri"
        className={styles.offers}
        hidden={shown.length === 0}
      >
        {shown.map((one) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the option
          <div
            key={one ? one.kind + one.label : ''}
            id={nameOf(one)}
            role="option"
            aria-selected={one === marked}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(one)}
          >
            <span>{one?.kind ?? 'Testo'}</span>
            {one ? (
              <b>
                <Marked text={one.label} search={typed} />
              </b>
            ) : (
              <b>
                contiene «<mark>{typed}</mark>»
              </b>
            )}
            {one ? <Figure filters={after(one)} /> : null}
          </div>
        ))}
      </div>
    </div>
  );
}

const STALE_MS = 30_000;

/** How many reports the list would have. */
function Figure({ filters }: { filters: Filters }) {
  const query = { ...useAsked()(filters), limit: 1 };
  const { data } = useRead('/reports', { with: { query }, background: true, staleTime: STALE_MS });
  return <small>{data?.matching == null ? '' : formatNumber(data.matching)}</small>;
}

/** Milliseconds without a letter after which it searches. */
const DEBOUNCE_MS = 100;

const tabsIn = (filters: Filters) => Object.fromEntries(TABS.map((name) => [name, filters[name]]));

/** The typed text runs ahead of the address; a change of the address from elsewhere is taken over. A search is one step of the
 *  history, however it is changed; it looks among all reports, and gives back the tab that it began on. */
function useTyping(filters: Filters, onChange: ChangeFilters) {
  const { search = '' } = filters;
  const [typed, setTyped] = useState(search);
  const [began, setBegan] = useState<Filters>({});
  const sent = useRef(search);
  const without = search ? withFilter(filters, { search: null, ...tabsIn(began) }) : filters;

  useEffect(() => {
    if (search !== sent.current) {
      sent.current = search;
      setTyped(search);
    }
  }, [search]);
  useEffect(() => {
    if (typed === sent.current) {
      return;
    }
    const timer = setTimeout(() => {
      if (search === '') {
        setBegan(filters);
      }
      sent.current = typed;
      const back = typed === '' ? tabsIn(began) : {};
      onChange((now) => withFilter(now, { search: typed, ...back }), { replace: search !== '' });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, search, filters, began, onChange]);
  const choose = (to: Filters) => {
    sent.current = '';
    setTyped('');
    onChange(to);
  };
  return { typed, setTyped, without, choose };
}
