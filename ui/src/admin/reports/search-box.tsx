import { Search, X } from 'lucide-react';
import { type Ref, useEffect, useRef, useState } from 'react';
import { Button } from '../../shared/ui/button';
import { TextInput } from '../../shared/ui/text-input';
import { type ChangeFilters, type Filters, SEARCH_CHARS, withFilter } from '../common/list/filters';
import styles from '../common/list/list.module.css';

interface SearchBoxProps {
  filters: Filters;
  onChange: ChangeFilters;
  searchBox: Ref<HTMLInputElement>;
}

/** Searches while one types, in everything. A search is one step of the history, however it was changed. */
export function SearchBox({ filters, onChange, searchBox }: SearchBoxProps) {
  const [typed, setTyped] = useTyping(filters.search ?? '', onChange);
  return (
    <div className={styles.box}>
      <Search className={styles.icon} />
      <TextInput
        ref={searchBox}
        aria-label="Cerca"
        type="search"
        enterKeyHint="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="Nome, racconto, telefono"
        aria-keyshortcuts="/"
        maxLength={SEARCH_CHARS}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && typed !== '') {
            event.preventDefault();
            setTyped('');
          }
        }}
      />
      {typed === '' ? null : (
        <Button
          variant="icon"
          className={styles.clear}
          aria-label="Cancella la ricerca"
          icon={<X />}
          onClick={(event) => {
            // The button goes with the text: the focus stays where one goes on typing.
            event.currentTarget.parentElement?.querySelector('input')?.focus();
            setTyped('');
          }}
        />
      )}
    </div>
  );
}

const DEBOUNCE_MS = 250;

/** The typed text runs ahead of the address; a change of the address from elsewhere is taken over. */
function useTyping(search: string, onChange: ChangeFilters) {
  const [typed, setTyped] = useState(search);
  const sent = useRef(search);

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
      sent.current = typed;
      onChange((now) => withFilter(now, { search: typed }), { replace: search !== '' });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, search, onChange]);
  return [typed, setTyped] as const;
}
