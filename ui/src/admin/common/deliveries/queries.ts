/** Mail and webhook of the reports, as the panel reads them, asks for another try, and puts them away. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client';
import type { Delivery } from '../../../shared/api/schema';
import { type Action, useAction } from '../action';
import { useRead } from '../use-read';

/** Pause between two questions of a page that only wants to know whether something fails, in milliseconds. */
const SUMMARY_MS = 15_000;

/** How deliveries stand. */
export const useDeliverySummary = () =>
  useRead('/deliveries/summary', { background: true, refetchInterval: SUMMARY_MS });

export interface DeliveryActions extends Omit<Action, 'busy' | 'run' | 'announce'> {
  /** The delivery that something is asked for, `all`, or null. */
  busy: number | 'all' | null;
  /** What did not happen, when it failed. */
  failed: string;
  retry: (id: number) => void;
  retryAll: () => void;
  ignore: (id: number) => void;
  /** Puts away everything that was given up for the destination of this one, this one included. */
  ignoreAllLike: (delivery: Delivery) => void;
}

const NOT_RETRIED = 'Nuovo tentativo non avviato';
const NOT_IGNORED = 'Consegna non ignorata';

function ignoredText(ignored: number): string {
  return ignored === 1 ? 'Consegna ignorata.' : `${ignored} consegne ignorate.`;
}

/** Asks for another try of one delivery or of all that were given up, or puts them away. */
export function useDeliveryActions(): DeliveryActions {
  const client = useQueryClient();
  const { busy, run: start, announce: _, ...action } = useAction();
  const [asked, setAsked] = useState<{ what: number | 'all'; failed: string }>({ what: 'all', failed: '' });

  const run = async (what: number | 'all', failed: string, ask: () => Promise<string>) => {
    if (!busy) {
      setAsked({ what, failed });
      await start(ask);
      for (const path of ['/deliveries', '/deliveries/summary', '/reports/{id}']) {
        void client.invalidateQueries({ queryKey: [path] });
      }
    }
  };
  return {
    ...action,
    busy: busy ? asked.what : null,
    failed: asked.failed,
    retry: (id) =>
      void run(id, NOT_RETRIED, async () => {
        await call('post', '/deliveries/{id}/retry', { path: { id } });
        return 'Nuovo tentativo in corso.';
      }),
    retryAll: () =>
      void run('all', NOT_RETRIED, async () => {
        const { retried } = await call('post', '/deliveries/retry', {});
        return retried === 1 ? 'Una consegna viene ritentata.' : `${retried} consegne vengono ritentate.`;
      }),
    ignore: (id) =>
      void run(id, NOT_IGNORED, async () => {
        await call('post', '/deliveries/{id}/ignore', { path: { id } });
        return ignoredText(1);
      }),
    ignoreAllLike: ({ id, tipo, destinatario }) =>
      void run(id, NOT_IGNORED, async () => {
        const { ignored } = await call('post', '/deliveries/ignore', { body: { tipo, destinatario } });
        return ignoredText(ignored);
      }),
  };
}
