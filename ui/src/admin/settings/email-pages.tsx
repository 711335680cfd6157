import { useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { EmailSettings } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Stack } from '../../shared/ui/layout';
import { SelectField } from '../../shared/ui/select';
import { type MailLack, MailLacks } from '../common/deliveries/mail-lacks';
import { GENERAL, useDepartments } from '../common/departments';
import { faultOf, isProblem, ToldError } from '../common/errors';
import { Fold } from '../common/fold';
import { SAVE_FORM } from '../common/forms/save-bar';
import { paths } from '../common/paths';
import type { Sections } from './api';
import { type Cards, type Controls, type OwnProps, Settings, SettingsCard } from './controls';
import { DepartmentsCard, recipientsOf } from './departments-card';
import { MicrosoftGuide } from './microsoft-guide';
import { DryRunTrial, Memory, TextTrial } from './routing-cards';
import { SettingsForm, useSettings } from './settings-page';
import { TaskPage } from './task-page';
import { Trial } from './trial';

type Email = Sections['email'];

/** Longer than the server itself waits for a mail server. */
const MAIL_MS = 90_000;

/** With another of these it is another login, for which the stored password does not count (PRODUCT.md §8). */
const LOGIN = ['smtpAccess', 'smtpHost', 'smtpPort', 'smtpUsername'] as const;
/** The same, where a token takes the password's place. */
const TOKEN = ['smtpTenant', 'smtpClientId', 'smtpTokenUrl', 'smtpScope'] as const;
const TRIED = [...LOGIN, ...TOKEN, 'smtpPassword', 'smtpSecure', 'emailRecipient', 'emailFrom'] as const;

const byToken = ({ smtpAccess }: Email) => smtpAccess === 'microsoft365';

const isOtherLogin = (values: Email, saved: Email) =>
  [...LOGIN, ...(byToken(values) ? TOKEN : [])].some((key) => values[key] !== saved[key]);

const MEANING: Readonly<Record<Email['routingMode'], (general: string) => string>> = {
  smart: () =>
    'Legge tutto il racconto e sceglie il reparto più vicino. L’analisi avviene qui sul server: il testo non va da nessuna parte.',
  keywords: () =>
    'Il primo reparto, nell’ordine qui sopra, di cui il racconto contiene una parola chiave, anche dentro un’altra parola.',
  manual: (general) => `Nessuna scelta automatica: va tutto a ${general}, e i reparti si assegnano a mano.`,
};

const routingOf = (general: string) =>
  ({
    enableDepartmentRouting: {
      label: 'Smista le segnalazioni ai reparti',
      hint: 'Se è disattivato, le email vanno tutte a «Chi riceve le segnalazioni».',
    },
    routingMode: {
      label: 'Come si sceglie il reparto',
      options: { smart: 'Analisi del contenuto', keywords: 'Parole chiave', manual: 'Manuale' },
      hintOf: ({ routingMode }) => MEANING[routingMode](general),
    },
    emailFallback: {
      label: `Email di ${general}`,
      hint: 'Per le segnalazioni che nessun reparto riconosce.',
      list: recipientsOf(`Destinatari di ${general}`),
    },
  }) satisfies Controls<Email>;

const thresholdOf = (general: string) =>
  ({
    routingThreshold: {
      label: 'Soglia',
      unit: '%',
      hint: `Se nessun reparto è almeno così probabile, la segnalazione va a ${general}.`,
      when: ({ routingMode }) => routingMode === 'smart',
    },
  }) satisfies Controls<Email>;

const SERVER = {
  smtpAccess: { label: 'Accesso', own: Access, below: Guide },
  smtpHost: {
    label: 'Server',
    hintOf: (values) =>
      byToken(values) ? 'Vuoto per quello di Microsoft, smtp.office365.com.' : 'Per esempio smtp.esempio.it.',
  },
  smtpPort: { label: 'Porta', unit: 'di solito 587, oppure 465' },
  smtpUsername: {
    label: 'Utente',
    hintOf: (values) =>
      byToken(values)
        ? 'L’indirizzo intero della casella da cui partono le email.'
        : 'Vuoto, se il server non lo chiede.',
  },
  smtpTenant: { label: 'ID della directory (tenant)', when: byToken },
  smtpClientId: { label: 'ID applicazione (client)', when: byToken },
  smtpPassword: {
    label: 'Password',
    varied: (values) =>
      byToken(values)
        ? {
            label: 'Segreto dell’applicazione',
            hint: 'La colonna «Valore» in «Certificati e segreti», non «ID segreto».',
            noun: 'il segreto',
          }
        : undefined,
    hintOf: (values, saved) => {
      if (!(saved.smtpPasswordSet && values.smtpPassword === null && isOtherLogin(values, saved))) {
        return undefined;
      }
      return byToken(values)
        ? 'Hai cambiato l’accesso: salvando, quello che c’era viene tolto. Scrivi il segreto di nuovo.'
        : 'Hai cambiato server, porta o utente: salvando, la password di prima viene tolta. Scrivila di nuovo.';
    },
  },
  smtpSecretExpires: {
    label: 'Il segreto scade il',
    type: 'date',
    hint: 'La data è accanto al segreto. Il pannello avvisa 14 giorni prima.',
    when: byToken,
  },
  emailFrom: {
    type: 'email',
    label: 'Mittente',
    hint: 'L’indirizzo da cui partono le email: di solito quello dell’utente.',
  },
  smtpSecure: {
    label: 'Connessione cifrata (TLS)',
    hint: 'Da spegnere solo per un server su questa stessa macchina: senza, password e segnalazioni viaggiano in chiaro.',
  },
} satisfies Controls<Email>;

/** For a national cloud, or another provider of tokens. */
const ELSEWHERE = {
  smtpTokenUrl: {
    label: 'Indirizzo dei token',
    type: 'url',
    hint: 'Vuoto per quello di Microsoft. {tenant} sta per l’ID della directory.',
    when: byToken,
  },
  smtpScope: {
    label: 'Ambito',
    hint: 'Vuoto per Exchange Online, https://outlook.office365.com/.default.',
    when: byToken,
  },
} satisfies Controls<Email>;

const CARDS = {
  'email/recipients': {
    emailAutoSend: {
      label: 'Invia una email per ogni segnalazione',
      hint: 'Parte da sola appena la segnalazione è salvata. Se il server di posta non risponde, viene ritentata.',
      below: Lacks,
    },
    emailRecipient: {
      label: 'Destinatari',
      hint: 'Chi riceve le segnalazioni che non vanno a un reparto, e le email di prova.',
      list: { ...recipientsOf('Elenco dei destinatari'), empty: 'Nessun indirizzo.' },
    },
    emailSubject: {
      label: 'Oggetto',
      hint: 'Segnaposto: {department} è il reparto, {date} la data, {product} il nome del prodotto, {id} il numero.',
    },
    deskDigest: {
      label: 'Ogni mattina alle 8, quante segnalazioni aspettano',
      hint: 'Ai destinatari qui sopra: solo il numero e il link. Vale finché nessuno ha un nome utente: poi ognuno sceglie in «Il tuo accesso».',
    },
    emailContent: {
      label: 'Che cosa contiene',
      options: {
        completa: 'Completa: tutti i dati della segnalazione',
        avviso: 'Solo avviso: reparto, data e link al pannello',
      },
      hint: 'Una email non è cifrata come l’archivio: con «Solo avviso» i dati di chi scrive restano nel pannello.',
    },
  },
  'email/reporter-mail': {
    replyNotice: {
      label: 'Avvisa chi ha segnalato quando la redazione gli scrive',
      hint: 'Una email senza contenuto: «C’è una risposta». Il messaggio si legge con il codice della ricevuta.',
    },
    confirmationMail: {
      label: 'Conferma per email che la segnalazione è arrivata',
      hint: 'Una email senza contenuto. Attenzione: chi guarda la posta di chi segnala la vede.',
    },
  },
  'email/mail-server': { ...SERVER, ...ELSEWHERE },
  'email/departments': { ...routingOf(''), ...thresholdOf('') },
} satisfies Cards<Email>;

/** The mail server of another access is another one: Microsoft's is filled in by the server. */
function Access({ value, onChange, ...shown }: OwnProps) {
  const { form } = useSettings<'email'>();
  const choose = (access: Email['smtpAccess']) => {
    onChange(access);
    form.setValue('smtpHost', '', { shouldDirty: true });
    form.setValue('smtpPort', 587, { shouldDirty: true });
  };
  return (
    <SelectField
      {...shown}
      form={SAVE_FORM}
      value={value as Email['smtpAccess']}
      options={[
        { value: 'password', label: 'Con utente e password' },
        { value: 'microsoft365', label: 'Microsoft 365 (OAuth2)' },
      ]}
      onValue={choose}
    />
  );
}

function Guide() {
  const { values } = useSettings<'email'>();
  return byToken(values) ? (
    <MicrosoftGuide client={values.smtpClientId} mailbox={values.smtpUsername} />
  ) : null;
}

function MailServer() {
  const { form, values, saved, changes, save } = useSettings<'email'>();
  /** The values of the form when a test of it failed. */
  const [failed, setFailed] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const tried = TRIED.map((key) => values[key]).join('\n');
  const stored = saved.smtpPasswordSet && !isOtherLogin(values, saved);
  const known = values.smtpPassword === null ? stored : values.smtpPassword !== '';
  const nobody = `${values.emailRecipient}${values.emailFallback}`.trim() === '';
  const token = byToken(values);
  const lacks = (text: string) => text.trim() === '';
  const entrance = [
    !token && lacks(values.smtpHost) ? 'il server' : '',
    token && lacks(values.smtpUsername) ? 'l’utente' : '',
    token && lacks(values.smtpTenant) ? 'l’ID della directory' : '',
    token && lacks(values.smtpClientId) ? 'l’ID applicazione' : '',
    (token || !lacks(values.smtpUsername)) && !known ? (token ? 'il segreto' : 'la password') : '',
  ].filter((one) => one !== '');
  const missing = lacks(values.emailFrom) ? [...entrance, 'il mittente'] : entrance;

  const test = async () => {
    const typed = Object.entries(changes()).filter(([key]) => TRIED.some((one) => one === key));
    try {
      // The contract marks fields with a default as present; a trial sends only those that it is about.
      const body = Object.fromEntries(typed) as EmailSettings;
      const answer = await call('post', '/settings/email/test', { body, timeoutMs: MAIL_MS });
      setFailed(answer.success ? null : tried);
      return answer;
    } catch (error) {
      // Where fields are wrong nothing was tried.
      setFailed(isProblem(error, 'dati-non-validi') ? null : tried);
      const lost = error instanceof NetworkError;
      throw lost ? new ToldError(`Errore di connessione: ${faultOf(error).text}`) : error;
    }
  };
  const ask = async () => {
    setAsking(true);
    return false;
  };
  return (
    // These values failed when they were tried: a question comes before they are saved.
    <SettingsForm bar={failed === tried ? { save: ask } : {}}>
      <SettingsCard of={SERVER}>
        {token ? (
          <Fold
            title="Altro cloud"
            note="indirizzo dei token, ambito"
            alarming={Object.keys(ELSEWHERE).some((name) => name in form.formState.errors)}
          >
            <Settings of={ELSEWHERE} />
          </Fold>
        ) : (
          <hr />
        )}
        <Trial
          label="Test Email"
          busyLabel="Invio in corso…"
          hint={<TrialLacks server={missing} recipient={nobody} />}
          failed="Errore durante il test email"
          blocked={entrance.length > 0}
          ask={test}
        />
      </SettingsCard>
      <Confirm
        open={asking}
        title="Il test email è fallito"
        confirmLabel="Salva comunque"
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          void save();
        }}
      >
        <p>
          Il test email è fallito. Vuoi salvare comunque le impostazioni? Le email potrebbero non funzionare
          correttamente.
        </p>
      </Confirm>
    </SettingsForm>
  );
}

/** The values that a trial lacks, and where they are entered. */
function TrialLacks({ server, recipient }: { server: readonly string[]; recipient: boolean }) {
  if (server.length === 0 && !recipient) {
    return 'Spedisce una email di prova ai destinatari, con i dati qui sopra così come sono, anche non salvati.';
  }
  return (
    <>
      Per la prova manca:{server.length > 0 ? ` ${server.join(', ')}, qui sopra` : null}
      {recipient ? (
        <>
          {server.length > 0 ? ';' : null} un destinatario, in{' '}
          <Link to={paths.setting('email/recipients', 'emailRecipient')}>Chi riceve le segnalazioni</Link>
        </>
      ) : null}
      .
    </>
  );
}

function Departments() {
  const { form, values, saved } = useSettings<'email'>();
  const general = useDepartments().nameOf(GENERAL);
  return (
    <SettingsForm>
      <DepartmentsCard />
      <SettingsCard of={routingOf(general)} />
      <Fold
        title="Avanzate"
        note="soglia, prove, memoria"
        alarming={Boolean(form.formState.errors.routingThreshold)}
      >
        <Stack gap={6}>
          <SettingsCard of={thresholdOf(general)}>
            <TextTrial mode={values.routingMode} />
            <hr />
            <DryRunTrial />
          </SettingsCard>
          <Card title="Che cosa ricorda lo smistamento">
            <Memory smart={saved.enableDepartmentRouting && saved.routingMode === 'smart'} />
          </Card>
        </Stack>
      </Fold>
    </SettingsForm>
  );
}

/** The reasons why no mail can go out with the values of the form, saved or not; the server judges alike (PRODUCT.md §9). */
function Lacks() {
  const { values } = useSettings<'email'>();
  const lacks: [MailLack, string][] = [
    ['server', values.smtpHost],
    ['sender', values.emailFrom],
    // Reports of a department without an address go to one of these.
    ['recipient', values.emailRecipient + values.emailFallback],
  ];
  const missing = lacks.filter(([, text]) => text.trim() === '').map(([lack]) => lack);
  return (
    <MailLacks lacks={values.emailAutoSend ? missing : []}>
      {missing.some((lack) => lack !== 'recipient') ? (
        <Link to={paths.setting('email/mail-server')}>Vai al server di posta</Link>
      ) : null}
    </MailLacks>
  );
}

const AROUND = {
  'email/mail-server': { form: <MailServer /> },
  'email/departments': { form: <Departments /> },
};

export const EmailPage = () => <TaskPage section="email" cards={CARDS} around={AROUND} />;
