/** Where figures lead. Must spell a selection of the list as its address bar does. */
import type { Stato } from '../common/stato';

/** Query of the list for one status, or for everything. */
export function queryOf(stato: Stato | null): string {
  return stato === null ? '' : `?${new URLSearchParams({ stato })}`;
}
