/** Sealed mode, as the panel reads and changes it. */
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import type { SealedMode } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { useLogsChanged } from './queries';

const SEALED = ['sealed-mode'] as const;
/** Longest wait for a change, in milliseconds: years of reports may have to be brought over. */
const CHANGE_MS = 120_000;

export function useSealedMode(): UseQueryResult<SealedMode> {
  return useQuery({
    queryKey: SEALED,
    queryFn: ({ signal }) => call('get', '/security/sealed', { background: true, signal }),
  });
}

export interface SealChange {
  busy: boolean;
  failure: unknown;
  /** What the server says of the recovery code, when it refuses that. */
  refused: string | undefined;
  news: { text: string } | null;
  /** Whether it worked. */
  seal: (recoveryCode: string) => Promise<boolean>;
  unseal: () => Promise<boolean>;
  bringBack: (recoveryCode: string) => Promise<boolean>;
  dismiss: () => void;
  dismissNews: () => void;
}

/** Changes sealed mode, or lets what stayed closed be read again. */
export function useSealChange(): SealChange {
  const client = useQueryClient();
  const logsChanged = useLogsChanged();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);

  const run = async (ask: () => Promise<string>) => {
    setBusy(true);
    setFailure(null);
    setNews(null);
    try {
      setNews({ text: await ask() });
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    } finally {
      setBusy(false);
      logsChanged();
    }
  };
  return {
    busy,
    failure,
    refused: failure instanceof ApiProblem ? failure.errors.recoveryCode : undefined,
    news,
    seal: (recoveryCode) =>
      run(async () => {
        client.setQueryData(SEALED, await call('post', '/security/sealed', { body: { recoveryCode } }));
        return 'Modalità sigillata attivata.';
      }),
    unseal: () =>
      run(async () => {
        client.setQueryData(SEALED, await call('delete', '/security/sealed', {}));
        return 'Modalità sigillata disattivata.';
      }),
    bringBack: (recoveryCode) =>
      run(async () => {
        const { reports } = await call('post', '/security/abandoned', {
          body: { recoveryCode },
          timeoutMs: CHANGE_MS,
        });
        await client.invalidateQueries();
        return reports === 1
          ? 'Una segnalazione si può di nuovo leggere.'
          : `${formatNumber(reports)} segnalazioni si possono di nuovo leggere.`;
      }),
    dismiss: () => setFailure(null),
    dismissNews: () => setNews(null),
  };
}
