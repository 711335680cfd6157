import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail, SamePerson } from '../../shared/api/schema';
import { isProblem } from '../common/errors';
import { dropKept } from '../common/forms/kept';
import { paths } from '../common/paths';
import { RETENTION } from '../common/retention';
import { useAction } from '../common/use-action';
import type { Scope } from './erasure-scope';
import { reportKey } from './queries';
import { formName } from './use-report-form';

/** Milliseconds that looking through every report may take, while the index is being built. */
const SEARCH_TIMEOUT_MS = 60_000;

/** The reports with the same e-mail address or phone number, as they stand when the question is put. */
export function useSamePerson(id: string, scope: Scope): UseQueryResult<SamePerson> {
  return useQuery({
    queryKey: ['same-person', id],
    queryFn: ({ signal }) =>
      call('get', '/reports/{id}/same-person', { path: { id }, timeoutMs: SEARCH_TIMEOUT_MS, signal }),
    enabled: scope === 'person',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export interface Erasure {
  busy: boolean;
  failure: unknown;
  /** Erases the report in the version that is shown. */
  one: () => void;
  /** Erases exactly these. */
  many: (ids: readonly string[]) => void;
}

/** Erases, and leads to the list. */
export function useErasure(report: ReportDetail, list: string): Erasure {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { busy, failure, run: start } = useAction();
  const { id, versione } = report;

  const run = (erase: () => Promise<{ erased: number }>) =>
    void start(async () => {
      try {
        const { erased } = await erase();
        dropKept(formName(id));
        // Nothing of it is to stay in this page's memory, nor to be asked for again.
        await client.cancelQueries({ queryKey: reportKey(id) });
        void client.invalidateQueries({ queryKey: ['reports'] });
        void client.invalidateQueries({ queryKey: [RETENTION] });
        navigate(paths.reports + list, { replace: true, state: { erased: Math.max(1, erased) } });
        return null;
      } catch (error) {
        if (isProblem(error, 'cancellata')) {
          void client.invalidateQueries({ queryKey: reportKey(id) });
        }
        throw error;
      }
    });
  return {
    busy,
    failure,
    one: () => run(() => call('delete', '/reports/{id}', { path: { id }, ifMatch: versione })),
    many: (ids) => run(() => call('post', '/reports/erasures', { body: { ids: [...ids] } })),
  };
}
