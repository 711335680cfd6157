import { type ReactNode, useEffect, useState } from 'react';
import { Text } from '../../../shared/ui/layout';
import { Archive } from './archive';
import { readChat } from './chat-export';
import { Conversation } from './conversation';
import { MailView } from './mail-view';
import { showOf } from './media';
import { type ContentProps, LongText, Trouble, Wait } from './parts';
import styles from './reading.module.css';
import { textOf } from './text';
import { useMade } from './use-made';

/** A file that is here. */
export function Content({ name, type, blob, depth }: ContentProps): ReactNode {
  switch (type) {
    case 'text/plain':
      return <Words blob={blob} />;
    case 'message/rfc822':
      return <MailView blob={blob} depth={depth} />;
    case 'application/zip':
      return <Archive blob={blob} depth={depth} />;
    default:
      return <Media name={name} type={type} blob={blob} />;
  }
}

const hasNone = () => false;

async function wordsOf(blob: Blob) {
  const text = await textOf(blob);
  return { text, said: readChat(text, hasNone) };
}

function Words({ blob }: { blob: Blob }) {
  const { made, failure } = useMade(wordsOf, blob);
  if (failure !== undefined) {
    return <Trouble failure={failure} />;
  }
  if (!made) {
    return <Wait />;
  }
  return made.said ? <Conversation said={made.said} /> : <LongText>{made.text}</LongText>;
}

function Media({ name, type, blob }: Omit<ContentProps, 'depth'>) {
  const [failed, setFailed] = useState(false);
  const [src, setSrc] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }));
    setSrc(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, type]);
  const show = showOf(type);
  if (failed || show === null) {
    return <Text tone="muted">Questo file non si può mostrare qui: scaricalo.</Text>;
  }
  const of = { src, className: styles.media, onError: () => setFailed(true) };
  if (src === '') {
    return null;
  }
  if (show === 'picture') {
    return <img {...of} alt={name} />;
  }
  const Played = show;
  return <Played {...of} controls aria-label={name} />;
}
