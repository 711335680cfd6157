import { type MailLack, MailLacks } from '../common/deliveries/mail-lacks';
import { DEPARTMENTS, type DepartmentKey, GENERAL } from '../common/departments';
import type { Controls } from './controls';
import { needsPassword } from './email-test';
import { type EmailForm, type EmailSection, useSettings } from './section';

const MEANING: Readonly<Record<EmailForm['routingMode'], string>> = {
  smart:
    'Legge tutto il racconto e sceglie il reparto più vicino. L’analisi avviene qui sul server: il testo non va da nessuna parte.',
  keywords:
    'Il primo reparto, nell’ordine qui sotto, di cui il racconto contiene una parola chiave, anche dentro un’altra parola.',
  manual: `Nessuna scelta automatica: va tutto a ${GENERAL.name}, e i reparti si assegnano a mano.`,
};

/** What keeps mail from going out with what is in the form, saved or not. */
function LacksOfForm() {
  return <MailLacks lacks={lacksOf(useSettings<'email'>().values)} />;
}

type EmailControls = Controls<EmailSection, 'basics' | 'server' | 'routing' | 'department'>;

function departmentControls(key: DepartmentKey, name: string): [string, object][] {
  const email: EmailControls['dept_sanita_email'] = {
    card: 'department',
    kind: 'text',
    type: 'email',
    label: `Email di ${name}`,
    hint: 'Se è vuota, le sue segnalazioni vanno all’indirizzo della redazione.',
  };
  const keywords: EmailControls['dept_sanita_keywords'] = {
    card: 'department',
    kind: 'list',
    label: `Parole chiave di ${name}`,
    listLabel: `Elenco delle parole chiave di ${name}`,
    empty: 'Nessuna parola chiave.',
    placeholder: 'Parola o frase',
  };
  return [
    [`dept_${key}_email`, email],
    [`dept_${key}_keywords`, keywords],
  ];
}

/** Address and keywords of the six departments. */
const DEPARTMENT_CONTROLS = Object.fromEntries(
  DEPARTMENTS.flatMap(({ key, name }) => departmentControls(key, name)),
) as Pick<EmailControls, `dept_${DepartmentKey}_${'email' | 'keywords'}`>;

export const EMAIL_CONTROLS: EmailControls = {
  emailAutoSend: {
    card: 'basics',
    kind: 'switch',
    label: 'Invia una email per ogni segnalazione',
    hint: 'Parte da sola appena la segnalazione è salvata. Se il server di posta non risponde, viene ritentata.',
    below: LacksOfForm,
  },
  emailRecipient: {
    card: 'basics',
    kind: 'text',
    type: 'email',
    label: 'Destinatario',
    hint: 'Chi riceve le segnalazioni che non vanno a un reparto, e le email di prova.',
  },
  emailFrom: {
    card: 'basics',
    kind: 'text',
    type: 'email',
    label: 'Mittente',
    hint: 'L’indirizzo da cui partono le email: di solito quello dell’utente del server SMTP.',
  },
  emailSubject: {
    card: 'basics',
    kind: 'text',
    label: 'Oggetto',
    hint: 'Segnaposto: {department} è il reparto, {date} la data, {product} il nome del prodotto, {id} il numero.',
  },
  emailContent: {
    card: 'basics',
    kind: 'select',
    label: 'Che cosa contiene',
    options: {
      completa: 'Completa: tutti i dati della segnalazione',
      avviso: 'Solo avviso: reparto, data e collegamento al pannello',
    },
    hint: 'Una email non è cifrata come l’archivio: con «Solo avviso» i dati di chi scrive restano nel pannello.',
  },
  smtpHost: { card: 'server', kind: 'text', label: 'Server', hint: 'Per esempio smtp.esempio.it.' },
  smtpPort: { card: 'server', kind: 'number', label: 'Porta', unit: 'di solito 587, oppure 465' },
  smtpUsername: { card: 'server', kind: 'text', label: 'Utente' },
  smtpPassword: {
    card: 'server',
    kind: 'secret',
    label: 'Password',
    hint: (values, saved) =>
      needsPassword(values, saved)
        ? 'Hai cambiato server, porta o utente: salvando, la password di prima viene tolta. Scrivila di nuovo.'
        : undefined,
  },
  smtpSecure: {
    card: 'server',
    kind: 'switch',
    label: 'Connessione cifrata (TLS)',
    hint: 'Da spegnere solo per un server su questa stessa macchina: senza, password e segnalazioni viaggiano in chiaro.',
  },
  enableDepartmentRouting: {
    card: 'routing',
    kind: 'switch',
    label: 'Smista le segnalazioni ai reparti',
    hint: 'Spento, le email vanno tutte al destinatario delle impostazioni di base.',
  },
  routingMode: {
    card: 'routing',
    kind: 'select',
    label: 'Come si sceglie il reparto',
    options: { smart: 'Analisi del contenuto', keywords: 'Parole chiave', manual: 'Manuale' },
    hint: ({ routingMode }) => MEANING[routingMode],
  },
  routingThreshold: {
    card: 'routing',
    kind: 'number',
    label: 'Soglia',
    unit: '%',
    hint: `Se nessun reparto è almeno così probabile, la segnalazione va a ${GENERAL.name}.`,
    when: ({ routingMode }) => routingMode === 'smart',
  },
  emailFallback: {
    card: 'routing',
    kind: 'text',
    type: 'email',
    label: `Email di ${GENERAL.name}`,
    hint: 'Per le segnalazioni che nessun reparto riconosce. Se è vuota, vanno al destinatario delle impostazioni di base.',
  },
  ...DEPARTMENT_CONTROLS,
};

const isEmpty = (text: string | null | undefined) => (text ?? '').trim() === '';

/** What the form lacks for mail to go out; judged as the server does (PRODUCT.md §5). */
function lacksOf(form: EmailForm): MailLack[] {
  if (!form.emailAutoSend) {
    return [];
  }
  // What has no address of its own goes to one of these; what fits no department has none of its own.
  const somebody = !isEmpty(form.emailRecipient) || !isEmpty(form.emailFallback);
  const lacks: [boolean, MailLack][] = [
    [isEmpty(form.smtpHost), 'server'],
    [isEmpty(form.emailFrom), 'sender'],
    [!somebody, 'recipient'],
  ];
  return lacks.flatMap(([missing, lack]) => (missing ? [lack] : []));
}
