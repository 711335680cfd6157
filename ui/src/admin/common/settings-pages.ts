/** The pages of the settings by section, in the order of the index. */
const PAGES = {
  email: {
    'email/mail-server': 'Server di posta',
    'email/recipients': 'Chi riceve le segnalazioni',
    'email/departments': 'Reparti',
    'email/reporter-mail': 'Email a chi segnala',
  },
  security: {
    'security/people': 'Persone',
    'security/password': 'Password',
    'security/access': 'Accesso al pannello',
    'security/log': 'Registro degli accessi',
    'security/notifications': 'Notifiche',
    'security/rules': 'Validazioni Segnalazioni',
    'security/retention': 'Conservazione delle segnalazioni',
  },
  system: {
    'system/names': 'Nomi',
    'system/look': 'Logo, colore e tema',
    'system/attachments': 'Allegati',
    'system/receipts': 'Ricevuta e messaggi',
    'system/privacy': 'Informativa sulla privacy',
    'system/quick-exit': 'Uscita rapida',
    'system/embed': 'Chat in un altro sito',
    'system/backup': 'Backup',
    'system/health': 'Stato del sistema',
  },
  // The page whose settings lock most people out comes last.
  advanced: {
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

export const ADVANCED: Partial<Titles> = PAGES.advanced;

interface Section {
  /** Last part of its address. */
  name: 'email' | 'security' | 'system';
  /** In the menu. */
  label: string;
  heading: string;
  pages: Partial<Titles>;
}

export const SECTIONS: readonly Section[] = [
  { name: 'email', label: 'Email & SMTP', heading: 'Configurazione Email', pages: PAGES.email },
  { name: 'security', label: 'Sicurezza', heading: 'Configurazione Sicurezza', pages: PAGES.security },
  { name: 'system', label: 'Sistema', heading: 'Configurazione Sistema', pages: PAGES.system },
];
