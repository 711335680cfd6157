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
