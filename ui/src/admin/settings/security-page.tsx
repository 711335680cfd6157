import { useRef } from 'react';
import type { ApiProblem } from '../../shared/api/errors';
import type { Retention, Security } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { isProblem } from '../common/errors';
import { RetentionNotice, useRetention } from '../common/retention';
import { SettingsCard } from './controls';
import { Log } from './log-card';
import { PasswordForm } from './password-form';
import { SealCard } from './seal-card';
import { useSettingsForm } from './section';
import { SECURITY_CONTROLS as CONTROLS } from './security-controls';
import { SettingsEditor, SettingsPage } from './settings-page';
import { WarningsCard } from './warnings-card';

export function SecurityPage() {
  return (
    <SettingsPage
      name="security"
      subtitle="Chi entra nel pannello, che cosa deve contenere una segnalazione, che cosa resta registrato"
    >
      {(security) => <SecurityEditor security={security} />}
    </SettingsPage>
  );
}

function SecurityEditor({ security }: { security: Security }) {
  const form = useSettingsForm('security', security, 'Impostazioni di sicurezza salvate con successo!');
  const lockout = isProblem(form.failure, 'esclusione') ? form.failure : null;
  const allow = (address: string) => {
    const list = [form.form.getValues('allowedIPs'), address].join(', ');
    form.dismissFailure();
    form.form.setValue('allowedIPs', list, { shouldDirty: true });
  };
  return (
    <>
      <SettingsEditor form={form} about="le impostazioni di sicurezza" bar={lockout ? { failure: null } : {}}>
        <WarningsCard security={security} />
        <SettingsCard
          title="Autenticazione Admin"
          of={CONTROLS}
          card="access"
          before={
            <>
              <PasswordForm />
              <hr />
            </>
          }
        />
        <SealCard />
        <SettingsCard title="Validazioni Segnalazioni" of={CONTROLS} card="rules" />
        <SettingsCard title="Logging e Monitoraggio" of={CONTROLS} card="logging">
          <hr />
          <Log />
        </SettingsCard>
        <SettingsCard title="Gestione Dati" of={CONTROLS} card="data">
          <RetentionStanding />
        </SettingsCard>
      </SettingsEditor>
      <LockoutDialog
        problem={lockout}
        onCancel={form.dismissFailure}
        onAdd={allow}
        onSave={() => form.save(true)}
      />
    </>
  );
}

/** What the saved setting erases soon, leaves, and has erased so far. */
export function RetentionStanding() {
  const { data } = useRetention();
  if (!data) {
    return null;
  }
  return (
    <>
      <RetentionNotice />
      {data.spared > 0 ? <p>{sparedOf(data.spared)}</p> : null}
      <p>{erasedOf(data)}</p>
    </>
  );
}

function sparedOf(spared: number): string {
  return spared === 1
    ? 'Una segnalazione più vecchia resta, perché non è chiusa o nessuno l’ha aperta.'
    : `${spared} segnalazioni più vecchie restano, perché non sono chiuse o nessuno le ha aperte.`;
}

function erasedOf({ expired, erased }: Retention): string {
  return `Cancellate finora: ${expired} per scadenza, ${erased} su richiesta.`;
}

interface LockoutDialogProps {
  /** The server's warning; null when there is none. */
  problem: ApiProblem | null;
  onCancel: () => void;
  onAdd: (address: string) => void;
  onSave: () => void;
}

/** Asks before an allow-list is saved that shuts the saver out (PRODUCT.md §6). */
export function LockoutDialog({ problem, onCancel, onAdd, onSave }: LockoutDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const address = problem ? addressIn(problem.detail) : undefined;
  return (
    <Dialog
      open={problem !== null}
      title="Perderesti l’accesso al pannello"
      onCancel={onCancel}
      initialFocus={cancel}
      actions={
        <>
          <Button ref={cancel} onClick={onCancel}>
            Annulla
          </Button>
          {address ? <Button onClick={() => onAdd(address)}>Aggiungi {address}</Button> : null}
          <Button variant="danger" onClick={onSave}>
            Salva comunque
          </Button>
        </>
      }
    >
      <p>{problem?.detail}</p>
      <p>Se salvi comunque, da qui potrà rimediare solo chi gestisce il server.</p>
    </Dialog>
  );
}

const ADDRESS = /(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]*:[0-9a-f:.]+/i;

export function addressIn(sentence: string): string | undefined {
  return ADDRESS.exec(sentence)?.[0];
}
