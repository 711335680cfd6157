/** What the pages of the settings are called, one task each, and in which order the index has them. */
import type { SettingsPage } from '../common/paths';

export const TITLES: Readonly<Record<SettingsPage, string>> = {
  'email/recipients': 'Chi riceve le segnalazioni',
  'email/mail-server': 'Server di posta',
  'email/departments': 'Reparti',
  'email/reporter-mail': 'Email a chi segnala',
  'security/people': 'Persone',
  'security/password': 'Password',
  'security/access': 'Accesso al pannello',
  'security/log': 'Registro degli accessi',
  'security/notifications': 'Notifiche',
  'security/rules': 'Regole del racconto',
  'security/retention': 'Conservazione delle segnalazioni',
  'security/siege': 'Modalità assedio',
  'security/sealed': 'Modalità sigillata',
  'system/names': 'Nomi',
  'system/look': 'Logo, colore e tema',
  'system/attachments': 'Allegati',
  'system/receipts': 'Ricevuta e messaggi',
  'system/privacy': 'Informativa sulla privacy',
  'system/quick-exit': 'Uscita rapida',
  'system/embed': 'Chat in un altro sito',
  'system/backup': 'Backup',
  'system/health': 'Stato del sistema',
  'system/webhook': 'Webhook',
  'system/reset': 'Ripristino',
};

/** How the names of the settings of a page begin. */
const HOLDS: Readonly<Partial<Record<SettingsPage, RegExp>>> = {
  'email/mail-server': /^(smtp|emailFrom)/,
  'email/departments': /^(dept_|routing|enableDepartment|emailFallback)/,
  'email/reporter-mail': /^(replyNotice|confirmationMail)/,
  'email/recipients': /^email(AutoSend|Content|Recipient|Subject)/,
  'security/people': /^(sharedPassword|requireSecondFactor)/,
  'security/access': /^(sessionTimeout|enableRateLimiting|allowedIPs)/,
  'security/log': /^(enableLogging|logRetention)/,
  'security/notifications': /^enableNotifications/,
  'security/rules': /^(min|forbiddenWords|acceptOther)/,
  'security/retention': /^(autoArchive|reportRetention)/,
  'security/siege': /^maxReports/,
  'system/names': /^(product|assistant|organization)Name/,
  'system/look': /^(logoUrl|primaryColor|darkMode|deviceTheme)/,
  'system/attachments': /^attachment/,
  'system/receipts': /^(receipts|replyTemplates)/,
  'system/privacy': /^privacy/,
  'system/quick-exit': /^quickExit/,
  'system/embed': /^embed/,
  'system/backup': /^backup/,
  'system/webhook': /^(enableW|w)ebhook/,
};

export function pageOf(setting: string): SettingsPage | undefined {
  const pages = Object.keys(HOLDS) as SettingsPage[];
  return pages.find((page) => HOLDS[page]?.test(setting));
}

/** As the index shows them. */
export const GROUPS: readonly { title: string; pages: readonly SettingsPage[] }[] = [
  {
    title: 'Email',
    pages: ['email/recipients', 'email/mail-server', 'email/departments', 'email/reporter-mail'],
  },
  {
    title: 'Accesso',
    pages: [
      'security/people',
      'security/password',
      'security/access',
      'security/log',
      'security/notifications',
    ],
  },
  {
    title: 'Chat',
    pages: [
      'system/names',
      'system/look',
      'security/rules',
      'system/attachments',
      'system/receipts',
      'system/privacy',
      'system/quick-exit',
      'system/embed',
    ],
  },
  { title: 'Dati', pages: ['security/retention', 'system/backup', 'system/health'] },
];

/** Rarely needed, and folded away; what locks most people out comes last. */
export const ADVANCED: readonly SettingsPage[] = [
  'security/siege',
  'system/webhook',
  'system/reset',
  'security/sealed',
];
