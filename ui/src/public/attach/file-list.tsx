import { useEffect, useRef, useState } from 'react';
import { sizeOf } from '../../shared/lib/file-size';
import { announce } from '../../shared/ui/announcer';
import { Act } from '../act';
import styles from './attach.module.css';
import type { Files, Item } from './files';

function stateOf({ state, sent, size, error }: Item): string {
  switch (state) {
    case 'done':
      return `Allegato, ${sizeOf(size)}`;
    case 'failed':
      return `Non allegato. ${error}`;
    case 'paused':
    case 'gone':
      return error;
    default:
      return `${sizeOf(sent)} di ${sizeOf(size)}`;
  }
}

function useNews(items: readonly Item[]): void {
  const told = useRef<Map<number, Item['state']>>(null);
  useEffect(() => {
    const before = told.current;
    told.current = new Map(items.map(({ key, state }) => [key, state]));
    for (const item of before === null ? [] : items) {
      const was = before?.get(item.key);
      if (was !== item.state && (was !== undefined || item.state === 'failed')) {
        const what = item.state === 'sending' ? 'invio ripreso.' : stateOf(item);
        announce(`${item.name}: ${what}`);
      }
    }
  }, [items]);
}

/** `tiles`: side by side, with larger pictures. */
export function FileList({ files, items, tiles }: { files: Files; items: readonly Item[]; tiles?: boolean }) {
  useNews(items);
  const list = useRef<HTMLUListElement>(null);
  // The person wants to see the file that was added last.
  const count = items.length;
  useEffect(() => {
    if (count > 0) {
      list.current?.scrollTo?.(0, list.current.scrollHeight);
    }
  }, [count]);
  // A file that is gone is to be attached again, however far it stands from the button that revealed it.
  const gone = items.find(({ state }) => state === 'gone')?.key;
  useEffect(() => {
    if (gone !== undefined) {
      list.current?.querySelector('[data-state="gone"]')?.scrollIntoView?.({ block: 'center' });
    }
  }, [gone]);
  return (
    <ul ref={list} className={styles.files} data-tiles={tiles || undefined}>
      {items.map((item) => (
        <li key={item.key}>
          <Picture of={item} />
          <div className={styles.what}>
            <strong className={styles.name} translate="no">
              {item.name}
            </strong>
            <small data-state={item.state}>{stateOf(item)}</small>
            {item.state === 'sending' && (
              <progress max={item.size} value={item.sent} aria-label={`Invio di ${item.name}`} />
            )}
          </div>
          {item.state === 'paused' && (
            <Act quiet onClick={() => files.goOn()}>
              Riprendi<span className="visually-hidden"> {item.name}</span>
            </Act>
          )}
          {item.state === 'gone' && item.file !== undefined && (
            <Act quiet onClick={() => files.again(item.key)}>
              Allega di nuovo<span className="visually-hidden"> {item.name}</span>
            </Act>
          )}
          <Act
            quiet
            onClick={() => {
              files.remove(item.key);
              announce(`${item.name} tolto.`);
              document.getElementById('attach')?.focus();
            }}
          >
            <span>{item.state === 'sending' ? 'Annulla' : 'Togli'}</span>
            <span className="visually-hidden"> {item.name}</span>
          </Act>
        </li>
      ))}
    </ul>
  );
}

/** By the first part of a media type (Lucide, ISC). */
const ICONS: Readonly<Record<string, string>> = {
  image:
    'M4 3h16a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM8.500 7a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3M21 15l-4-4L6 21',
  video: 'M3 5h18v14H3zM7 5v14M17 5v14M3 12h18',
  audio: 'M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3ZM19 10v2a7 7 0 0 1-14 0v-2M12 19v3',
};
const DOCUMENT = 'M14 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8zM14 2v6h6M8 13h8M8 17h8';

/** The picture, while the browser still holds it and can draw it; else the kind of the file. */
function Picture({ of: { file, type } }: { of: Item }) {
  const kind = type.split('/')[0] ?? '';
  const [url, setUrl] = useState('');
  useEffect(() => {
    if (file === undefined || kind !== 'image') {
      return;
    }
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file, kind]);
  if (url !== '') {
    return <img className={styles.picture} src={url} alt="" onError={() => setUrl('')} />;
  }
  return (
    <svg className={styles.picture} viewBox="-12 -12 48 48" data-kind={kind} aria-hidden="true">
      <path d={ICONS[kind] ?? DOCUMENT} fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}
