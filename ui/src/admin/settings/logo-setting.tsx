import { type ChangeEvent, useId, useRef } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Failure, useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { announceBranding } from '../common/branding-keeper';
import { ToldError } from '../common/errors';
import { useRefresh } from '../common/use-read';
import styles from './logo-setting.module.css';

/** Largest file that the server takes, in bytes; a larger one would travel in vain. */
const MAX_BYTES = 512 * 1024;
/** A picture over a slow line takes a while. */
const UPLOAD_MS = 60_000;
const KINDS = 'image/png,image/jpeg,image/webp';

async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

async function upload(file: Blob): Promise<void> {
  if (file.size > MAX_BYTES) {
    throw new ToldError('Il file è troppo grande: al massimo 512 KB.');
  }
  try {
    const image = await base64Of(file);
    await call('put', '/settings/logo', { body: { image }, timeoutMs: UPLOAD_MS });
  } catch (error) {
    throw error instanceof ApiProblem && error.errors.image ? new ToldError(error.errors.image) : error;
  }
}

/** The newsroom's logo, replaced and removed at once; the saved address of an earlier one goes with it. */
export function LogoSetting() {
  const { logoUrl } = useBranding();
  const refresh = useRefresh();
  const action = useAction();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();

  const run = (change: () => Promise<unknown>, success: string) =>
    void action.run(async () => {
      await change();
      announceBranding();
      void refresh();
      return success;
    });
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    // Choosing the corrected file under its old name must count as a change.
    event.target.value = '';
    if (file) {
      run(() => upload(file), 'Logo salvato.');
    }
  };
  const remove = () => run(() => call('delete', '/settings/logo', {}), 'Logo rimosso.');

  return (
    <Stack gap={2} data-setting="logo">
      <Text strong id={`${id}-label`}>
        Logo
      </Text>
      <Text small tone="muted" id={`${id}-hint`}>
        Nella barra laterale, nella pagina pubblica, all’accesso e come icona. PNG, JPEG o WebP, al massimo
        512 KB; meglio quadrato. Cambia subito.
      </Text>
      <Row>
        <span className={styles.frame}>
          {logoUrl ? <img src={logoUrl} alt="Logo attuale" /> : <span className={styles.none}>Nessuno</span>}
        </span>
        <Row>
          <Button
            inactive={action.busy}
            aria-describedby={`${id}-hint`}
            onClick={() => input.current?.click()}
          >
            {logoUrl ? 'Sostituisci il logo' : 'Carica un logo'}
          </Button>
          {logoUrl ? (
            <Button variant="quiet" inactive={action.busy} onClick={remove}>
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
        </Row>
      </Row>
      <Failure of={action} title="Logo non modificato" />
    </Stack>
  );
}
