/** Mail and webhook of the reports, as the panel reads them and asks for another try. */
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client';
import type { DeliverySummary } from '../../../shared/api/schema';

/** First part of the key of whatever is read about deliveries. */
export const DELIVERIES = 'deliveries';

/** Pause between two questions of a page that only wants to know whether something fails, in milliseconds. */
const SUMMARY_MS = 15_000;

/** How deliveries stand. Nobody asked for it: it never counts as activity. */
export function useDeliverySummary(): UseQueryResult<DeliverySummary> {
  return useQuery({
    queryKey: [DELIVERIES, 'summary'],
    queryFn: ({ signal }) => call('get', '/deliveries/summary', { background: true, signal }),
    refetchInterval: SUMMARY_MS,
  });
}

export interface Retry {
  /** The delivery that is asked for, `all`, or null. */
  busy: number | 'all' | null;
  failure: unknown;
  news: { text: string } | null;
  one: (id: number) => void;
  all: () => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

/** Asks for another try of one delivery or of all that were given up. */
export function useRetry(): Retry {
  const client = useQueryClient();
  const [busy, setBusy] = useState<Retry['busy']>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);

  const run = async (what: number | 'all', ask: () => Promise<string>) => {
    if (busy !== null) {
      return;
    }
    setBusy(what);
    setFailure(null);
    setNews(null);
    try {
      setNews({ text: await ask() });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(null);
      void client.invalidateQueries({ queryKey: [DELIVERIES] });
      void client.invalidateQueries({ queryKey: ['report'] });
    }
  };
  return {
    busy,
    failure,
    news,
    one: (id) =>
      void run(id, async () => {
        await call('post', '/deliveries/{id}/retry', { path: { id } });
        return 'Nuovo tentativo in corso.';
      }),
    all: () =>
      void run('all', async () => {
        const { retried } = await call('post', '/deliveries/retry', {});
        return retried === 1 ? 'Una consegna viene ritentata.' : `${retried} consegne vengono ritentate.`;
      }),
    dismissFailure: () => setFailure(null),
    dismissNews: () => setNews(null),
  };
}
