import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { counted } from '../../../shared/lib/text';
import { Stack, Text } from '../../../shared/ui/layout';
import type { Said } from './chat-export';
import { typeOf } from './kinds';
import { showOf } from './media';
import { Inner, More, Opened } from './parts';
import styles from './reading.module.css';
import { shownName } from './text';
import type { Entry } from './zip';

/** Messages that are drawn at a time. */
const PAGE = 200;
/** Bytes of a picture that is drawn without being asked for: 15 MiB, as beside the report. */
const PICTURE_BYTES = 15 * 1024 * 1024;

interface Media {
  entries: readonly Entry[];
  take: (entry: Entry) => Promise<Blob>;
}

/** A conversation as it was: who, when, what, and the files that came along. */
export function Conversation({ said, media }: { said: readonly Said[]; media?: Media }) {
  const [shown, setShown] = useState(PAGE);
  const byName = useMemo(
    () => new Map(media?.entries.map((entry) => [shownName(entry.name), entry])),
    [media?.entries],
  );
  const people = new Set(said.map(({ who }) => who).filter(Boolean));
  const left = said.length - shown;
  return (
    <>
      <Text tone="muted" small>
        {counted(said.length, 'messaggio', 'messaggi')} di {counted(people.size, 'persona', 'persone')}, con
        data e ora come nel file.
      </Text>
      <Stack as="ol" gap={2}>
        {said.slice(0, shown).map(({ when, who, text, file }, index) => {
          const entry = file ? byName.get(shownName(file)) : undefined;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: it never changes
            <Stack as="li" key={index} gap={1} boxed={who !== ''}>
              <Text small>
                {who ? <strong>{who}</strong> : null} <Text as="span">{when}</Text>
              </Text>
              {text ? (
                <Text kept tone={who ? undefined : 'muted'}>
                  {text}
                </Text>
              ) : null}
              {entry && media ? <Came entry={entry} take={media.take} /> : null}
            </Stack>
          );
        })}
      </Stack>
      {left > 0 ? (
        <More onClick={() => setShown(shown + PAGE)}>
          Mostra altri {Math.min(left, PAGE)} messaggi (ne restano {left})
        </More>
      ) : null}
    </>
  );
}

function Came({ entry, take }: { entry: Entry; take: Media['take'] }) {
  const { name, size } = entry;
  const file = () => take(entry);
  return showOf(typeOf(name)) === 'picture' && size <= PICTURE_BYTES ? (
    <Seen>
      <Opened name={shownName(name)} file={file} depth={1} />
    </Seen>
  ) : (
    <Inner name={name} size={size} file={file} depth={1} />
  );
}

/** Draws what is in it once it comes near: thousands of pictures would fill the memory. */
function Seen({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watcher = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '400px' },
    );
    if (place.current) {
      watcher.observe(place.current);
    }
    return () => watcher.disconnect();
  }, []);
  return (
    <div ref={place} className={styles.seen}>
      {seen ? children : null}
    </div>
  );
}
