/** Where figures lead. Must spell a selection of the list as its address bar does. */
import type { Desk } from '../common/departments';
import type { Stato } from '../common/stato';

/** Query of the list for one status, or for everything. */
export function queryOf(stato: Stato | null): string {
  return stato === null ? '' : `?${new URLSearchParams({ stato })}`;
}

/** Query of the list for one department. */
export function queryOfDesk(department: Desk): string {
  return `?${new URLSearchParams({ department })}`;
}
