/** The access log in words. Must never show more of an entry than the server keeps. */
import type { AccessAction } from '../../shared/api/schema';

const ACTIONS: Readonly<Record<AccessAction | 'EXPORT_CSV', string>> = {
  LOGIN_SUCCESS: 'Accesso',
  LOGIN_FAILED: 'Accesso fallito',
  LOGOUT: 'Uscita',
  REPORT_VIEWED: 'Segnalazione aperta',
  REPORT_UPDATED: 'Segnalazione modificata',
  REPORT_ERASED: 'Segnalazione cancellata',
  EXPORT_CSV: 'Elenco esportato in CSV',
  EXPORT_PDF: 'Scheda PDF esportata',
  BACKUP: 'Backup',
  SETTINGS_CHANGED: 'Impostazioni modificate',
  PROMPTS_CHANGED: 'Frasi modificate',
  DELIVERY_RETRIED: 'Nuovo tentativo di consegna',
  DELIVERY_IGNORED: 'Consegna ignorata',
  LOGS_CLEARED: 'Registro svuotato',
};

export function actionLabel(action: AccessAction): string {
  return ACTIONS[action];
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** A browser's own description in short, such as `Firefox 140 su Linux`; as it is when nothing is recognised. */
export function browserOf(userAgent: string): string {
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) {
      const system = SYSTEMS.find(([mark]) => mark.test(userAgent))?.[1];
      return `${name} ${version}${system ? ` su ${system}` : ''}`;
    }
  }
  return userAgent;
}
