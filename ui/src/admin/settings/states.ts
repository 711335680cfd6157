import type { Answer } from '../../shared/api/client';
import type { Backups, Examination, SealedMode, Sieges } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { counted, formatNumber } from '../../shared/lib/text';
import type { SettingsPage } from '../common/settings-pages';
import type { Sections } from './api';
import { entriesOf } from './controls';
import { warningsOf } from './warnings-card';

export interface SettingsOverview {
  email: Sections['email'] | undefined;
  security: Sections['security'] | undefined;
  system: Sections['system'] | undefined;
  backups: Backups | undefined;
  examination: Examination | undefined;
  sealed: SealedMode | undefined;
  sieges: Sieges | undefined;
  people: Answer<'/people'> | undefined;
}

export interface PageState {
  words: string;
  alarming?: boolean;
}

function of<K extends keyof SettingsOverview>(
  key: K,
  say: (known: NonNullable<SettingsOverview[K]>) => PageState | string,
) {
  return (known: SettingsOverview): PageState | undefined => {
    const value = known[key];
    const said = value ? say(value) : undefined;
    return typeof said === 'string' ? { words: said } : said;
  };
}

const active = (on: boolean, more = '') => (on ? `Attiva${more}` : 'Disattivata');
const missing = (words: string): PageState => ({ words, alarming: true });

const FREQUENCIES: Readonly<Record<Sections['system']['backupFrequency'], string>> = {
  disabled: 'Mai da solo',
  daily: 'Ogni giorno',
  weekly: 'Ogni settimana',
  monthly: 'Ogni mese',
};
const VERDICTS = { ok: 'A posto', attenzione: 'Qualcosa da guardare', errore: 'Qualcosa non funziona' };

export const STATES: Readonly<Record<SettingsPage, (known: SettingsOverview) => PageState | undefined>> = {
  'email/recipients': of('email', (email) => {
    const recipients = entriesOf(`${email.emailRecipient},${email.emailFallback}`).length;
    if (!email.emailAutoSend) {
      return 'Disattivate';
    }
    return recipients === 0
      ? missing('Manca il destinatario')
      : counted(recipients, 'destinatario', 'destinatari');
  }),
  'email/mail-server': of('email', ({ smtpHost, emailFrom, emailAutoSend }) => {
    const lack = smtpHost === '' ? 'Da configurare' : emailFrom === '' ? 'Manca il mittente' : null;
    return lack ? { words: lack, alarming: emailAutoSend } : smtpHost;
  }),
  'email/departments': of('email', (email) => {
    const addresses = Object.entries(email).filter(([name]) => /^dept_.+_email$/.test(name));
    const own = addresses.filter(([, address]) => address !== '').length;
    return email.enableDepartmentRouting ? `${own} su ${addresses.length} con un indirizzo` : 'Disattivati';
  }),
  'email/reporter-mail': of('email', ({ replyNotice, confirmationMail }) =>
    replyNotice || confirmationMail
      ? [replyNotice && 'Avviso di risposta', confirmationMail && 'Conferma'].filter(Boolean).join(', ')
      : 'Nessuna',
  ),
  'system/names': of('system', ({ productName, organizationName }) => `${productName}, ${organizationName}`),
  'system/look': of(
    'system',
    ({ darkMode, primaryColor }) => `Tema ${darkMode ? 'scuro' : 'chiaro'}, ${primaryColor}`,
  ),
  'security/rules': of(
    'security',
    ({ minReportLength, minWordCount }) => `Almeno ${minReportLength} caratteri, ${minWordCount} parole`,
  ),
  'system/attachments': of('system', ({ attachmentsEnabled, attachmentMaxMb }) =>
    attachmentsEnabled ? `Fino a ${formatNumber(attachmentMaxMb)} MB l’uno` : 'Disattivati',
  ),
  'system/receipts': of('system', ({ receiptsEnabled }) => active(receiptsEnabled)),
  'system/privacy': of('system', ({ privacyUrl }) => (privacyUrl === '' ? 'Senza link' : 'Con link')),
  'system/quick-exit': of('system', ({ quickExit }) => active(quickExit)),
  'system/embed': of('system', ({ embedOrigins }) => {
    const sites = entriesOf(embedOrigins).length;
    return sites === 0 ? 'Nessun sito' : counted(sites, 'sito', 'siti');
  }),
  'security/people': of('people', ({ data }) =>
    data.length === 0 ? 'Solo la password della redazione' : counted(data.length, 'persona', 'persone'),
  ),
  'security/password': () => ({ words: 'Impostata' }),
  'security/access': of('security', (security) => {
    const warnings = warningsOf(security, window.isSecureContext).length;
    return warnings === 0
      ? `Uscita dopo ${security.sessionTimeout} minuti`
      : missing(counted(warnings, 'avviso', 'avvisi'));
  }),
  'security/log': of('security', ({ enableLogging, logRetentionDays }) =>
    enableLogging ? `Attivo, ${counted(logRetentionDays, 'giorno', 'giorni')}` : 'Disattivato',
  ),
  'security/notifications': of('security', ({ enableNotifications }) =>
    enableNotifications ? 'Attive' : 'Disattivate',
  ),
  'security/retention': of('security', ({ reportRetentionDays }) =>
    reportRetentionDays === 0 ? 'Senza limite' : counted(reportRetentionDays, 'giorno', 'giorni'),
  ),
  'system/backup': of('backups', ({ frequency, last, alarming }) => {
    const when = last ? `ultimo ${formatDate(last.at)}` : 'mai eseguito';
    return { words: `${FREQUENCIES[frequency]}, ${when}`, alarming };
  }),
  'system/health': ({ examination: made }) =>
    made ? { words: VERDICTS[made.worst], alarming: made.worst === 'errore' } : { words: 'Da controllare' },
  'security/siege': of('sieges', ({ siege, data: [last] }) => {
    const ended = last ? `L’ultima il ${formatDate(last.began)}` : 'Mai cominciata';
    return siege ? missing('In corso') : ended;
  }),
  'system/webhook': of('system', ({ enableWebhook }) => (enableWebhook ? 'Attivo' : 'Disattivato')),
  'system/reset': () => ({ words: 'Tutto ai valori predefiniti' }),
  'security/sealed': of('sealed', ({ sealed }) => (sealed ? 'Attiva' : 'Non attiva')),
};
