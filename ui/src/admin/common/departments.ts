/** The desks a report can go to, in their fixed order (PRODUCT.md §5). Must name them as the server does. */

export const DEPARTMENTS = [
  { key: 'corruzione', name: 'Corruzione/Politica' },
  { key: 'sanita', name: 'Sanità/Ospedali' },
  { key: 'lavoro', name: 'Lavoro/Sfruttamento' },
  { key: 'scuola', name: 'Scuola/Istruzione' },
  { key: 'ambiente', name: 'Ambiente/Territorio' },
  { key: 'criminalita', name: 'Criminalità/Sicurezza' },
] as const;

export type DepartmentKey = (typeof DEPARTMENTS)[number]['key'];

/** Where reports go that no department takes. */
export const GENERAL = { key: 'generale', name: 'Redazione Generale' } as const;
