/** The desks a report can go to, in their fixed order (PRODUCT.md §11). Must name them as the server does. */
import type { ReportDetail } from '../../shared/api/schema';
import type { Option } from '../../shared/ui/select';

export const DEPARTMENTS = [
  { key: 'corruzione', name: 'Corruzione/Politica' },
  { key: 'sanita', name: 'Sanità/Ospedali' },
  { key: 'lavoro', name: 'Lavoro/Sfruttamento' },
  { key: 'scuola', name: 'Scuola/Istruzione' },
  { key: 'ambiente', name: 'Ambiente/Territorio' },
  { key: 'criminalita', name: 'Criminalità/Sicurezza' },
] as const;

/** What departments have of the e-mail settings. */
export type DeskFields = Record<`dept_${DepartmentInfo['key']}_${'email' | 'keywords'}`, string>;

export type Desk = ReportDetail['department'];

export type DepartmentInfo = (typeof DEPARTMENTS)[number];

export const GENERAL = { key: 'generale', name: 'Redazione Generale' } as const;

export const DESKS: readonly { key: Desk; name: string }[] = [...DEPARTMENTS, GENERAL];

export const DESK_OPTIONS: readonly Option<Desk>[] = DESKS.map(({ key, name }) => ({
  value: key,
  label: name,
}));

export function deskName(key: string): string {
  return DESKS.find((desk) => desk.key === key)?.name ?? key;
}
