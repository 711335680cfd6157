import { type RefObject, useEffect, useId, useState } from 'react';
import { AddFiles, NOTHING_PENDING } from './add-files';
import { FileList } from './file-list';
import { type Item, type Limits, useFiles } from './files';

type Props = {
  limits: Limits;
  token: string;
  last: boolean;
  /** Asked before an answer leaves: whether it has to wait. */
  hold: RefObject<(() => boolean) | null>;
  later?: boolean;
  onItems?: (items: readonly Item[]) => void;
};

/** Files beside a text that is being written. */
export function Attach({ limits, token, last, hold, later = false, onItems }: Props) {
  const [files, items] = useFiles(token, limits, later);
  const [{ reason, attach }, setPending] = useState(NOTHING_PENDING);
  /** How often it was asked for. */
  const [asked, setAsked] = useState(0);
  const heading = useId();
  useEffect(() => onItems?.(items), [items, onItems]);
  useEffect(() => {
    if (reason === '') {
      setAsked(0);
    }
  }, [reason]);
  useEffect(() => {
    hold.current = () => {
      // A voice goes along by itself; what takes the files has to wait for it.
      const waits = (attach !== null && (!attach() || last)) || reason !== '';
      if (waits) {
        setAsked((before) => before + 1);
      }
      return waits;
    };
    return () => {
      hold.current = null;
    };
  }, [hold, reason, attach, last]);

  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className="visually-hidden">
        Allegati
      </h2>
      {items.length > 0 && <FileList files={files} items={items} />}
      {items.length > 0 && (
        <small>
          I file partono subito, cifrati. Se non {later ? 'invii il messaggio' : 'concludi la segnalazione'},
          vengono cancellati entro un giorno.
        </small>
      )}
      {asked > 0 && reason !== '' && (
        <p key={asked} role="alert">
          {reason}
        </p>
      )}
      <AddFiles files={files} items={items} last={last} onPending={setPending} quiet />
    </section>
  );
}
