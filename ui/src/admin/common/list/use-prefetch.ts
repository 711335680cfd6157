import { useQueryClient } from '@tanstack/react-query';
import { readingOf } from '../use-read';

/** For how long what was asked for ahead counts as the reading of the page that opens. */
export const PREPARED_MS = 1000;

/** Asks for a report at the key or the click that opens it, while its page is still being drawn. */
export function usePrepare(): (id: string) => void {
  const client = useQueryClient();
  return (id) => {
    const times = { staleTime: PREPARED_MS, gcTime: PREPARED_MS };
    void client.prefetchQuery({ ...readingOf('/reports/{id}', { path: { id } }), ...times });
  };
}
