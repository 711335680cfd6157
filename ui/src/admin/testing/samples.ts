/** A newsroom and a report for tests. Must never hold a real person's data. */
import type {
  Branding,
  DeliveryOfReport,
  Department,
  DepartmentList,
  ReportDetail,
  ReportList,
  ReportRow,
} from '../../shared/api/schema';
import { SessionStore, type Who } from '../common/session/session-store';

const SIX = {
  corruzione: 'Corruzione/Politica',
  sanita: 'Sanità/Ospedali',
  lavoro: 'Lavoro/Sfruttamento',
  scuola: 'Scuola/Istruzione',
  ambiente: 'Ambiente/Territorio',
  criminalita: 'Criminalità/Sicurezza',
} as const;

export const sampleDepartment = (changes: Partial<Department> = {}): Department => ({
  key: 'generale',
  name: 'Redazione Generale',
  matter: null,
  email: '',
  keywords: '',
  reports: 0,
  ...changes,
});

/** The departments of a new installation, as an administrator reads them. */
export const sampleDepartments = (changes: Partial<DepartmentList> = {}): DepartmentList => ({
  data: [
    ...(Object.keys(SIX) as (keyof typeof SIX)[]).map((key) =>
      sampleDepartment({ key, name: SIX[key], matter: key }),
    ),
    sampleDepartment(),
  ],
  others: [],
  version: 7,
  moving: 0,
  ...changes,
});

export function sampleReport(changes: Partial<ReportDetail> = {}): ReportDetail {
  return {
    id: '0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90',
    nome: 'Maria',
    cognome: 'Rossi',
    telefono: '3123456789',
    email: 'maria.rossi@esempio.it',
    indirizzo: 'Via Garibaldi 1, Milano',
    segnalazione: 'Un fatto.\nAltre due parole.',
    inchiesta: null,
    risposte: [],
    eta: 41,
    stato: 'Nuova',
    department: 'generale',
    departmentName: 'Redazione Generale',
    reason: 'Smistamento manuale: Redazione Generale.',
    matchedKeywords: [],
    scores: [],
    secondary: null,
    urgente: null,
    urgenteOra: false,
    aside: false,
    urgentWords: [],
    lastSeen: null,
    inoltrata: null,
    labels: [],
    story: null,
    maybe: null,
    assegnataA: null,
    due: null,
    snooze: null,
    withdrawal: null,
    origin: 'chat',
    note: '',
    data_creazione: '2026-11-20T22:30:00Z',
    data_aggiornamento: '2026-11-20T22:30:00Z',
    versione: 1,
    privacyVersion: '1',
    scadenza: null,
    storia: [{ tipo: 'ricevuta', data: '2026-11-20T22:30:00Z', author: null }],
    consents: [],
    attachments: [],
    consegne: [],
    ...changes,
  };
}

/** A report as a list shows it. */
export function sampleRow(changes: Partial<ReportRow> = {}): ReportRow {
  return {
    id: '0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90',
    nome: 'Maria',
    cognome: 'Rossi',
    email: 'maria@esempio.example',
    telefono: '3331234567',
    data_creazione: '2026-11-20T10:00:00Z',
    stato: 'Nuova',
    department: 'generale',
    unread: true,
    excerpt: 'Racconto.',
    origin: 'chat',
    urgente: false,
    sospetta: false,
    aside: false,
    code: true,
    answerWaiting: false,
    withdrawal: null,
    labels: [],
    assegnataA: null,
    related: false,
    attachments: 0,
    messages: 0,
    newToYou: false,
    todo: null,
    due: null,
    snoozedUntil: null,
    story: null,
    maybe: null,
    inchiesta: null,
    versione: 1,
    ...changes,
  };
}

/** A page of the list, with nothing before and behind it. */
export function sampleList(data: ReportRow[], changes: Partial<ReportList> = {}): ReportList {
  return {
    data,
    nextCursor: null,
    ahead: 0,
    prevCursor: null,
    counters: { total: 0, new: 0, inProgress: 0, resolved: 0 },
    answersWaiting: 0,
    withdrawalsWaiting: 0,
    counts: {
      todo: 0,
      unread: 0,
      files: 0,
      urgent: 0,
      waiting: 0,
      dueSoon: 0,
      dueLate: 0,
      snoozed: 0,
      aside: 0,
    },
    matching: 1,
    search: { ready: true, indexed: 0, total: 0 },
    shown: { newest: 1, at: 0 },
    ...changes,
  };
}

export function sampleWho(changes: Partial<Who> = {}): Who {
  return {
    id: '7f0c1c50-7f6e-4a57-9a35-1c2f4f0b8f11',
    user: 'anna.rossi',
    name: 'Anna Rossi',
    role: 'redattore',
    departments: [],
    secondFactor: 'off',
    ...changes,
  };
}

/** A session that lasts, of that person; of the shared password without one. */
export function sampleSession(who: Who | null = null, locked = false): SessionStore {
  const hour = 3_600_000;
  return new SessionStore({
    read: () => Promise.resolve({ endsAt: Date.now() + hour, idleMs: hour, who, locked }),
    end: () => Promise.resolve(),
    tell: () => undefined,
  });
}

export const sampleBranding: Branding = {
  productName: 'Prova',
  assistantName: 'Prova',
  organizationName: 'Redazione',
  logoUrl: null,
  primaryColor: '#2563eb',
  darkMode: false,
  deviceTheme: false,
};

export function sampleDelivery(changes: Partial<DeliveryOfReport> = {}): DeliveryOfReport {
  return {
    id: 1,
    tipo: 'email',
    destinatario: 'redazione@esempio.example',
    stato: 'in attesa',
    tentativi: 0,
    ultimoErrore: null,
    prossimoTentativo: null,
    creata: '2026-11-21T09:00:00Z',
    conclusa: null,
    report: '0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11',
    nome: 'Giulia',
    cognome: 'Ferraro',
    ...changes,
  };
}
