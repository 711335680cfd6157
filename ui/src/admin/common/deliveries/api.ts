import { useState } from 'react';
import { call } from '../../../shared/api/client';
import type { Delivery } from '../../../shared/api/schema';
import { useAction } from '../action';
import { useRead, useRefresh } from '../use-read';

/** Pause between two questions of a page that only wants to know whether something fails, in milliseconds. */
const SUMMARY_MS = 15_000;

export const useDeliverySummary = () =>
  useRead('/deliveries/summary', { background: true, refetchInterval: SUMMARY_MS });

export type DeliveryActions = ReturnType<typeof useDeliveryActions>;

const NOT_RETRIED = 'Non è stato possibile riprovare';
const NOT_IGNORED = 'Consegna non ignorata';

function ignoredText(ignored: number): string {
  return ignored === 1 ? 'Consegna ignorata.' : `${ignored} consegne ignorate.`;
}

export function useDeliveryActions() {
  const refresh = useRefresh();
  const { busy, run: start, ...action } = useAction();
  const [asked, setAsked] = useState<{ what: number | 'all'; failed: string }>({ what: 'all', failed: '' });

  const run = async (what: number | 'all', failed: string, ask: () => Promise<unknown>) => {
    if (busy) {
      return false;
    }
    setAsked({ what, failed });
    const done = await start(ask);
    void refresh('/deliveries', '/deliveries/summary', '/reports/{id}');
    return done;
  };
  return {
    ...action,
    /** The delivery that something is asked for, `all`, or null. */
    busy: busy ? asked.what : null,
    failed: asked.failed,
    retry: (id: number) =>
      void run(id, NOT_RETRIED, async () => {
        await call('post', '/deliveries/{id}/retry', { path: { id } });
        return 'Nuovo tentativo in corso.';
      }),
    retryAll: () =>
      void run('all', NOT_RETRIED, async () => {
        const { changed } = await call('post', '/deliveries/retry', {});
        return changed === 1 ? 'Una consegna viene ritentata.' : `${changed} consegne vengono ritentate.`;
      }),
    ignoring: (id: number) => ({
      busy,
      run: (work: () => Promise<unknown>) => run(id, NOT_IGNORED, work),
    }),
  };
}

/** Puts a delivery away, or everything that was given up for its destination. */
export async function ignore({ id, tipo, destinatario }: Delivery, all: boolean): Promise<string> {
  if (all) {
    const { changed } = await call('post', '/deliveries/ignore', { body: { tipo, destinatario } });
    return ignoredText(changed);
  }
  await call('post', '/deliveries/{id}/ignore', { path: { id } });
  return ignoredText(1);
}
