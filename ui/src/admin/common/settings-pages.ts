/** The pages of the settings by group, in the order of the index. */
const PAGES = {
  Email: {
    'email/recipients': 'Chi riceve le segnalazioni',
    'email/mail-server': 'Server di posta',
    'email/departments': 'Reparti',
    'email/reporter-mail': 'Email a chi segnala',
  },
  Accesso: {
    'security/people': 'Persone',
    'security/password': 'Password',
    'security/access': 'Accesso al pannello',
    'security/log': 'Registro degli accessi',
    'security/notifications': 'Notifiche',
  },
  Chat: {
    'system/names': 'Nomi',
    'system/look': 'Logo, colore e tema',
    'security/rules': 'Validazioni Segnalazioni',
    'system/attachments': 'Allegati',
    'system/receipts': 'Ricevuta e messaggi',
    'system/privacy': 'Informativa sulla privacy',
    'system/quick-exit': 'Uscita rapida',
    'system/embed': 'Chat in un altro sito',
  },
  Dati: {
    'security/retention': 'Conservazione delle segnalazioni',
    'system/backup': 'Backup',
    'system/health': 'Stato del sistema',
  },
  // What locks most people out comes last.
  Avanzate: {
    'security/siege': 'Modalità assedio',
    'system/webhook': 'Webhook',
    'system/reset': 'Ripristino',
    'security/sealed': 'Modalità sigillata',
  },
} as const;

type KeyOf<Group> = Group extends unknown ? keyof Group : never;
/** Named after the settings that it is made of. */
export type SettingsPage = KeyOf<(typeof PAGES)[keyof typeof PAGES]>;
export type Titles = Readonly<Record<SettingsPage, string>>;
export const TITLES: Titles = Object.assign({}, ...Object.values(PAGES));

const { Avanzate, ...groups } = PAGES;
export const ADVANCED: Partial<Titles> = Avanzate;
export const GROUPS: Readonly<Record<string, Partial<Titles>>> = groups;
