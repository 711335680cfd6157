import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Act } from '../act';
import { Icon } from '../icon';
import { usePart } from '../use-part';
import styles from './attach.module.css';
import { type Files, type Item, isUnderWay } from './files';

const GONE = 'Un file non c’è più: allegalo di nuovo oppure toglilo, poi invia.';
const UNDER_WAY = 'Un file sta ancora arrivando: aspetta che finisca, oppure toglilo, poi invia.';

const canRecord = () =>
  typeof MediaRecorder === 'function' && navigator.mediaDevices?.getUserMedia !== undefined;

function addTo(files: Files, list: FileList | null | undefined): void {
  for (const file of list ?? []) {
    void files.add(file);
  }
}

/** The reason why an answer waits before it takes the files along, and the function that attaches a finished recording and tells
 * whether it could. */
export type Pending = { reason: string; attach: (() => boolean) | null };

export const NOTHING_PENDING: Pending = { reason: '', attach: null };

type Props = {
  files: Files;
  items: readonly Item[];
  /** Whether what is sent next takes the files along. */
  last: boolean;
  onPending: (pending: Pending) => void;
  quiet?: boolean;
  children?: ReactNode;
};

/** The ways in which files come: chosen, pasted, dropped, spoken. */
export function AddFiles({ files, items, last, onPending, quiet, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [speaking, setSpeaking] = useState(false);
  const [attach, setAttach] = useState<Pending['attach']>(null);
  const onVoice = useCallback((given: Pending['attach']) => setAttach(() => given), []);
  const Voice = usePart(speaking, () => import('./voice'))?.Voice;

  useEffect(() => {
    const pasted = (event: ClipboardEvent) => addTo(files, event.clipboardData?.files);
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) {
        event.preventDefault();
      }
    };
    const dropped = (event: DragEvent) => {
      over(event);
      addTo(files, event.dataTransfer?.files);
    };
    const gone = new AbortController();
    document.addEventListener('paste', pasted, gone);
    document.addEventListener('dragover', over, gone);
    document.addEventListener('drop', dropped, gone);
    // A recording that is over releases its microphone.
    files.over.addEventListener('abort', () => setSpeaking(false), gone);
    return () => gone.abort();
  }, [files]);

  const running = last && items.some(isUnderWay);
  const gone = last && items.some(({ state }) => state === 'gone');
  const reason = running ? UNDER_WAY : gone ? GONE : '';
  useEffect(() => {
    onPending({ reason, attach });
    return () => onPending(NOTHING_PENDING);
  }, [reason, attach, onPending]);

  const close = useCallback(() => {
    setSpeaking(false);
    document.getElementById('attach')?.focus();
  }, []);
  return (
    <>
      {speaking && Voice && <Voice files={files} onVoice={onVoice} onClose={close} />}
      <div className={styles.acts} data-quiet={quiet || undefined}>
        {children}
        {!speaking && canRecord() && (
          <Act quiet={quiet} onClick={() => setSpeaking(true)}>
            <Icon path="M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3ZM19 10v2a7 7 0 0 1-14 0v-2M12 19v3" />
            Registra un vocale
          </Act>
        )}
        <Act id="attach" quiet={quiet} onClick={() => input.current?.click()}>
          <Icon path="m21 11-9 9a6 6 0 0 1-8.500-8.500l9-9a4 4 0 0 1 5.700 5.700l-9 9a2 2 0 0 1-2.800-2.800l8.300-8.300" />
          Allega un file
        </Act>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept="*/*"
        aria-label="Allega file"
        onChange={({ target }) => {
          addTo(files, target.files);
          target.value = '';
        }}
      />
    </>
  );
}
