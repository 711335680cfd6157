import { useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Security } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Dialog } from '../../shared/ui/dialog';
import { Text } from '../../shared/ui/layout';
import { CONTACT_RULES } from '../common/contact-rules';
import { isProblem } from '../common/errors';
import { PasswordForm } from '../common/password-form';
import { paths } from '../common/paths';
import { RetentionNotice, useRetention } from '../common/retention';
import { useRights } from '../common/session/session-context';
import { askPermission, permission } from '../notices/desktop';
import { type Cards, SettingsCard } from './controls';
import { Log } from './log-card';
import { PeopleCard } from './people-card';
import { SealCard } from './seal-card';
import { SettingsForm, useSettings } from './settings-page';
import { SiegesCard } from './sieges-card';
import { TaskPage } from './task-page';
import { WarningsCard } from './warnings-card';

const CARDS = {
  'security/people': {
    sharedPassword: {
      label: 'Password della redazione',
      hint: 'Una sola per tutti, con ogni permesso. Si può disattivare quando almeno un amministratore ha scelto la sua.',
    },
    requireSecondFactor: {
      label: 'Secondo fattore per tutti',
      hint: 'Chi ha un nome utente lo imposta al prossimo accesso. La password della redazione entra senza: se deve valere per tutti, disattivala.',
    },
  },
  'security/access': {
    sessionTimeout: {
      label: 'Uscita automatica',
      unit: 'minuti senza attività',
      hint: 'In ogni caso la sessione finisce dopo 12 ore.',
    },
    enableRateLimiting: {
      label: 'Limita i tentativi di accesso (5 tentativi max)',
      hint: 'Dopo 5 password sbagliate in 15 minuti, da quell’indirizzo bisogna aspettare.',
    },
    pdfWithoutName: {
      label: 'Schede PDF senza nome nel nome del file',
      hint: 'Per i computer che usano in molti: nella cartella dei download resta solo il numero della segnalazione.',
    },
    allowedIPs: {
      label: 'Indirizzi IP autorizzati',
      hint: 'Indirizzi singoli o intervalli, per esempio 203.0.113.7 oppure 192.0.2.0/24. Chi si collega da altri indirizzi non entra nel pannello; la chat resta aperta a tutti.',
      list: {
        name: 'Indirizzi autorizzati',
        empty: 'Nessun indirizzo nell’elenco: si entra da ovunque.',
        placeholder: 'Indirizzo o intervallo',
        single: true,
      },
    },
  },
  'security/rules': {
    minReportLength: { label: 'Lunghezza minima del racconto', unit: 'caratteri' },
    minWordCount: { label: 'Parole minime del racconto', unit: 'parole' },
    forbiddenWords: {
      label: 'Parole vietate',
      hint: 'Se il racconto ne contiene una, anche dentro un’altra parola, l’assistente risponde che non può dare consigli legali. Chi scrive vede quale parola togliere.',
      list: {
        name: 'Elenco delle parole vietate',
        empty: 'Nessuna parola vietata.',
        placeholder: 'Parola o frase',
      },
    },
    ...CONTACT_RULES,
    addressRequired: { ...CONTACT_RULES.addressRequired, below: AnotherWay },
  },
  'security/siege': {
    maxReportsPerDay: {
      label: 'Soglia giornaliera di segnalazioni',
      unit: 'al giorno',
      hint: 'Oltre questo numero in un giorno, o oltre la metà in dieci minuti, comincia la modalità assedio: le segnalazioni arrivano comunque, ma prima dell’invio il browser di chi scrive fa una verifica di qualche secondo, i racconti quasi uguali vengono messi da parte e le email raggruppate. Finisce da sola.',
    },
  },
  'security/notifications': {
    enableNotifications: {
      label: 'Avvisa delle nuove segnalazioni',
      hint: 'Un numero nel titolo della finestra e, dove il browser lo consente, una notifica sul desktop. L’avviso non dice nulla della segnalazione.',
      below: Desktop,
    },
  },
  'security/log': {
    enableLogging: {
      label: 'Registra gli accessi al pannello',
      hint: 'Da quale indirizzo si entra, quali segnalazioni vengono aperte o modificate. Mai il contenuto di una segnalazione, mai chi la scrive. Esportazioni, cancellazioni, backup e modifiche alle impostazioni si registrano sempre.',
    },
    logRetentionDays: {
      label: 'Conservazione del registro',
      unit: 'giorni',
      hint: 'Le voci più vecchie vengono cancellate da sole.',
    },
  },
  'security/retention': {
    autoArchiveDays: {
      label: 'Archiviazione automatica',
      unit: 'giorni',
      hint: 'Le segnalazioni risolte passano ad Archiviata da sole, dopo questi giorni.',
    },
    reportRetentionDays: {
      label: 'Conservazione delle segnalazioni',
      unit: 'giorni (0: senza limite)',
      hint: 'Passati questi giorni dall’arrivo, le segnalazioni aperte da qualcuno e poi risolte o archiviate vengono cancellate per sempre. Il pannello avvisa 14 giorni prima, anche quando questo numero cambia. Quelle nuove, in lavorazione o mai aperte restano.',
    },
  },
} satisfies Cards<Security>;

function Access() {
  const { saved, failure } = useSettings<'security'>();
  return (
    // An allow-list that shuts the saver out is asked about, not told as a failure.
    <SettingsForm bar={isProblem(failure, 'esclusione') ? { failure: null } : {}}>
      <WarningsCard security={saved} />
      <SettingsCard of={CARDS['security/access']} />
      <LockoutDialog />
    </SettingsForm>
  );
}

function Password() {
  return useRights().who ? (
    <Card>
      <Text>
        La password della redazione si cambia accedendo con quella. La tua è in{' '}
        <Link to={paths.account}>Il tuo accesso</Link>.
      </Text>
    </Card>
  ) : (
    <Card>
      <PasswordForm />
    </Card>
  );
}

/** Leads to the phrase for reporters who cannot give a required datum. */
function AnotherWay() {
  return (
    <Text tone="muted" small>
      A chi per due volte non riesce a dare un dato obbligatorio la chat dice «Un’altra via», che scrivi in{' '}
      <Link to={`${paths.prompts}?sezione=guide`}>Prompt Chat</Link>.
    </Text>
  );
}

function Desktop() {
  return useSettings<'security'>().values.enableNotifications ? <DesktopPermission /> : null;
}

export function RetentionStanding() {
  const { data } = useRetention();
  if (!data) {
    return null;
  }
  const { spared, expired, erased } = data;
  return (
    <>
      <RetentionNotice />
      {spared === 1 ? (
        <p>Una segnalazione più vecchia resta, perché non è chiusa o nessuno l’ha aperta.</p>
      ) : spared > 0 ? (
        <p>{spared} segnalazioni più vecchie restano, perché non sono chiuse o nessuno le ha aperte.</p>
      ) : null}
      <p>{`Cancellate finora: ${expired} per scadenza, ${erased} su richiesta.`}</p>
    </>
  );
}

/** Asks before an allow-list is saved that shuts the saver out (PRODUCT.md §7). */
function LockoutDialog() {
  const { form, failure, dismissFailure, save, values } = useSettings<'security'>();
  const cancel = useRef<HTMLButtonElement>(null);
  const problem = isProblem(failure, 'esclusione') ? failure : null;
  const address = problem?.address;
  const add = () => {
    dismissFailure();
    form.setValue('allowedIPs', `${values.allowedIPs}, ${address}`, { shouldDirty: true });
  };
  return (
    <Dialog
      open={problem !== null}
      title="Perderesti l’accesso al pannello"
      onCancel={dismissFailure}
      initialFocus={cancel}
      actions={
        <>
          <Button ref={cancel} onClick={dismissFailure}>
            Annulla
          </Button>
          {address ? <Button onClick={add}>Aggiungi {address}</Button> : null}
          <Button variant="danger" onClick={() => save(true)}>
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

const SAYS = {
  granted: 'Questo browser mostra anche una notifica sul desktop.',
  denied: 'Questo browser blocca le notifiche: si sbloccano nelle sue impostazioni, alla voce del sito.',
  missing: 'Questo browser non conosce le notifiche: resta il numero nel titolo della finestra.',
} as const;

function DesktopPermission() {
  const [state, setState] = useState(permission);
  if (state !== 'default') {
    return (
      <Text tone="muted" role="status">
        {SAYS[state]}
      </Text>
    );
  }
  return (
    <div>
      <Button onClick={() => void askPermission().then(setState)}>
        Consenti le notifiche in questo browser
      </Button>
    </div>
  );
}

const AROUND = {
  'security/people': { above: <PeopleCard />, title: 'Come si accede' },
  'security/access': { form: <Access /> },
  'security/log': {
    below: (
      <Card title="Voci">
        <Log />
      </Card>
    ),
  },
  'security/retention': { foot: <RetentionStanding /> },
  'security/siege': { below: <SiegesCard /> },
  'security/password': { bare: <Password /> },
  'security/sealed': { bare: <SealCard /> },
};

export const SecurityPage = () => <TaskPage section="security" cards={CARDS} around={AROUND} />;
