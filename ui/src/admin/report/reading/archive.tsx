import { useState } from 'react';
import { counted } from '../../../shared/lib/text';
import { Stack, Text } from '../../../shared/ui/layout';
import { Details } from '../../common/fold';
import { readChat, type Said } from './chat-export';
import { Conversation } from './conversation';
import { Inner, More, Trouble, Wait } from './parts';
import { shownName, TEXT_MAX, textOf } from './text';
import { useMade } from './use-made';
import { ENTRIES_MAX, type Entry, entriesOf, unpack } from './zip';

/** Bytes of one file that is unpacked in memory: 256 MB. */
const UNPACKED_MAX = 256_000_000;
/** Entries that are listed at a time. */
const PAGE = 200;

interface Read {
  entries: readonly Entry[];
  said: readonly Said[] | null;
}

/** The text of a conversation that WhatsApp exported: '_chat.txt', 'Chat WhatsApp con Nome.txt'. */
const isChat = ({ name }: Entry) => /(^|\/)_chat\.txt$|whatsapp[^/]*\.txt$/i.test(name);

async function readArchive(blob: Blob): Promise<Read> {
  const entries = await entriesOf(blob);
  const chat = entries.find(isChat);
  if (!chat) {
    return { entries, said: null };
  }
  const names = new Set(entries.map(({ name }) => shownName(name)));
  const text = await unpack(blob, chat, TEXT_MAX).then(textOf, () => '');
  return { entries, said: readChat(text, (name) => names.has(shownName(name))) };
}

/** The contents of an archive; the conversation, where WhatsApp exported one. */
export function Archive({ blob, depth }: { blob: Blob; depth: number }) {
  const { made, failure } = useMade(readArchive, blob);
  if (failure !== undefined) {
    return <Trouble failure={failure} />;
  }
  if (!made) {
    return <Wait />;
  }
  const { entries, said } = made;
  const list = <Entries blob={blob} entries={entries} depth={depth} />;
  return said ? (
    <>
      <Conversation said={said} media={{ entries, take: (entry) => unpack(blob, entry, UNPACKED_MAX) }} />
      <Details summary="Tutti i file dell’archivio">{list}</Details>
    </>
  ) : (
    list
  );
}

function Entries({ blob, entries, depth }: { blob: Blob; entries: readonly Entry[]; depth: number }) {
  const [shown, setShown] = useState(PAGE);
  const left = entries.length - shown;
  return (
    <Stack>
      <Text tone="muted" small>
        {entries.length === 0
          ? 'L’archivio è vuoto.'
          : `Nell’archivio: ${counted(entries.length, 'file', 'file')}.`}
        {entries.length === ENTRIES_MAX ? ' Se ne ha altri, scaricalo per vederli.' : ''}
      </Text>
      <Stack as="ul" lined>
        {entries.slice(0, shown).map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an archive may hold a name twice, and never changes
          <li key={index}>
            <Inner
              name={entry.name}
              size={entry.size}
              file={() => unpack(blob, entry, UNPACKED_MAX)}
              depth={depth + 1}
            />
          </li>
        ))}
      </Stack>
      {left > 0 ? (
        <More onClick={() => setShown(shown + PAGE)}>Mostra altri {Math.min(left, PAGE)} file</More>
      ) : null}
    </Stack>
  );
}
