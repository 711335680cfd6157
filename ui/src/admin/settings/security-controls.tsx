import type { Security } from '../../shared/api/schema';
import { DesktopPermission } from '../notices/desktop-permission';
import type { Controls } from './controls';
import { useSettings } from './section';

/** Where notices are on, whether this browser may show them. */
function Desktop() {
  return (
    <>
      {useSettings<'security'>().values.enableNotifications ? <DesktopPermission /> : null}
      <hr />
    </>
  );
}

export const SECURITY_CONTROLS: Controls<Security, 'access' | 'rules' | 'logging' | 'data'> = {
  sessionTimeout: {
    card: 'access',
    kind: 'number',
    label: 'Uscita automatica',
    unit: 'minuti senza attività',
    hint: 'In ogni caso la sessione finisce dopo 12 ore.',
  },
  enableRateLimiting: {
    card: 'access',
    kind: 'switch',
    label: 'Limita i tentativi di accesso (5 tentativi max)',
    hint: 'Dopo 5 password sbagliate in 15 minuti, da quell’indirizzo bisogna aspettare.',
  },
  allowedIPs: {
    card: 'access',
    kind: 'list',
    label: 'Indirizzi IP autorizzati',
    hint: 'Indirizzi singoli o intervalli, per esempio 203.0.113.7 oppure 192.0.2.0/24. Chi si collega da altri indirizzi non entra nel pannello; la chat resta aperta a tutti.',
    listLabel: 'Indirizzi autorizzati',
    empty: 'Nessun indirizzo nell’elenco: si entra da ovunque.',
    placeholder: 'Indirizzo o intervallo',
    single: true,
  },
  minReportLength: {
    card: 'rules',
    kind: 'number',
    label: 'Lunghezza minima del racconto',
    unit: 'caratteri',
  },
  minWordCount: { card: 'rules', kind: 'number', label: 'Parole minime del racconto', unit: 'parole' },
  forbiddenWords: {
    card: 'rules',
    kind: 'list',
    label: 'Parole vietate',
    hint: 'Se il racconto ne contiene una, anche dentro un’altra parola, l’assistente risponde che non può dare consigli legali e ripete la domanda.',
    listLabel: 'Elenco delle parole vietate',
    empty: 'Nessuna parola vietata.',
    placeholder: 'Parola o frase',
  },
  maxReportsPerDay: {
    card: 'rules',
    kind: 'number',
    label: 'Soglia giornaliera di segnalazioni',
    unit: 'al giorno',
    hint: 'È una soglia di allerta, non un limite: le segnalazioni oltre questo numero arrivano comunque.',
  },
  enableNotifications: {
    card: 'logging',
    kind: 'switch',
    label: 'Avvisa delle nuove segnalazioni',
    hint: 'Un numero nel titolo della finestra e, dove il browser lo consente, una notifica sul desktop. L’avviso non dice nulla della segnalazione.',
    below: Desktop,
  },
  enableLogging: {
    card: 'logging',
    kind: 'switch',
    label: 'Registra gli accessi al pannello',
    hint: 'Chi entra, quali segnalazioni apre, che cosa cambia. Mai il contenuto di una segnalazione, mai chi la scrive.',
  },
  logRetentionDays: {
    card: 'logging',
    kind: 'number',
    label: 'Conservazione del registro',
    unit: 'giorni',
    hint: 'Le voci più vecchie vengono cancellate da sole.',
  },
  autoArchiveDays: {
    card: 'data',
    kind: 'number',
    label: 'Archiviazione automatica',
    unit: 'giorni',
    hint: 'Le segnalazioni risolte passano ad Archiviata da sole, dopo questi giorni.',
  },
  reportRetentionDays: {
    card: 'data',
    kind: 'number',
    label: 'Conservazione delle segnalazioni',
    unit: 'giorni (0: senza limite)',
    hint: 'Passati questi giorni dall’arrivo, le segnalazioni aperte da qualcuno e poi risolte o archiviate vengono cancellate per sempre. Il pannello avvisa 14 giorni prima, anche quando questo numero cambia. Quelle nuove, in lavorazione o mai aperte restano.',
  },
};
