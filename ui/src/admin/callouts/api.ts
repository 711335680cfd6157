import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { Callout, CalloutDetail } from '../../shared/api/schema';
import { isProblem } from '../common/errors';
import { adopt, keyOf, useRefresh } from '../common/use-read';

export function useCalloutChanges() {
  const client = useQueryClient();
  const refresh = useRefresh();
  const keep = (saved: CalloutDetail) =>
    adopt(client, keyOf('/callouts/{id}', { path: { id: saved.id } }), saved, keyOf('/callouts'));
  return {
    /** Absent fields are empty, or not asked. */
    add: async (body: object) => keep(await call('post', '/callouts', { body: body as Callout })),
    save: async ({ id, revision }: CalloutDetail, body: Callout) => {
      try {
        return keep(await call('put', '/callouts/{id}', { path: { id }, body, ifMatch: revision }));
      } catch (error) {
        if (isProblem(error, 'versione-superata')) {
          await refresh('/callouts/{id}');
        }
        throw error;
      }
    },
    open: async (id: string) => keep(await call('post', '/callouts/{id}/open', { path: { id } })),
    close: async (id: string) => keep(await call('post', '/callouts/{id}/close', { path: { id } })),
    remove: async ({ id, revision }: CalloutDetail) => {
      await call('delete', '/callouts/{id}', { path: { id }, ifMatch: revision });
      await refresh('/callouts');
    },
  };
}
