import { type ChangeEvent, useId, useRef, useState } from 'react';
import { ApiProblem } from '../../shared/api/errors';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { StatusMessage } from '../../shared/ui/status-message';
import { useBranding } from '../common/branding';
import { FaultText } from '../common/error-card';
import styles from './logo-setting.module.css';
import { messages } from './messages';
import { useLogo } from './queries';

/** Largest file that the server takes, in bytes; a larger one would travel in vain. */
const MAX_BYTES = 512 * 1024;
const KINDS = 'image/png,image/jpeg,image/webp';

/** The newsroom's logo: shown, replaced and removed at once, without waiting for the rest of the page to be saved. */
export function LogoSetting() {
  const { logoUrl } = useBranding();
  const { upload, remove } = useLogo();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();

  const run = async (change: () => Promise<void>, success: string) => {
    setBusy(true);
    setFailure(null);
    setNews(null);
    try {
      await change();
      setNews({ text: success });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    // The same file, mended, must be a change again.
    event.target.value = '';
    if (file && file.size > MAX_BYTES) {
      setNews(null);
      setFailure(messages.logo.heavy);
    } else if (file) {
      void run(() => upload(file), messages.logo.saved);
    }
  };

  return (
    <div className={styles.setting} data-setting="logo">
      <p className={styles.label} id={`${id}-label`}>
        Logo
      </p>
      <p className={styles.hint} id={`${id}-hint`}>
        Nella barra laterale, nella pagina pubblica, all’accesso e come icona. PNG, JPEG o WebP, al massimo
        512 KB; meglio quadrato. Cambia subito.
      </p>
      <div className={styles.row}>
        <span className={styles.frame}>
          {logoUrl ? <img src={logoUrl} alt="Logo attuale" /> : <span className={styles.none}>Nessuno</span>}
        </span>
        <div className={styles.buttons}>
          <Button inactive={busy} aria-describedby={`${id}-hint`} onClick={() => input.current?.click()}>
            {logoUrl ? 'Sostituisci il logo' : 'Carica un logo'}
          </Button>
          {logoUrl ? (
            <Button variant="quiet" inactive={busy} onClick={() => void run(remove, messages.logo.removed)}>
              Rimuovi il logo
            </Button>
          ) : null}
          <input
            ref={input}
            hidden
            type="file"
            accept={KINDS}
            aria-labelledby={`${id}-label`}
            onChange={choose}
          />
        </div>
      </div>
      {failure ? (
        <Message kind="error" title={messages.logo.failed} onDismiss={() => setFailure(null)}>
          {typeof failure === 'string' ? (
            <p>{failure}</p>
          ) : failure instanceof ApiProblem && failure.errors.image ? (
            <p>{failure.errors.image}</p>
          ) : (
            <FaultText error={failure} />
          )}
        </Message>
      ) : null}
      <StatusMessage message={news} onDone={() => setNews(null)} />
    </div>
  );
}
