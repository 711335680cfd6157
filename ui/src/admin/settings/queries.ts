import {
  keepPreviousData,
  type QueryClient,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type {
  AccessAction,
  AccessLog,
  EmailSettings,
  Security,
  Status,
  System,
} from '../../shared/api/schema';
import { announceBranding } from '../common/branding-keeper';
import { isBackground } from '../common/polling';
import type { EmailSection } from './sections';

const EMAIL = ['settings', 'email'] as const;
const SECURITY = ['settings', 'security'] as const;
const SYSTEM = ['settings', 'system'] as const;
const LOGS = 'logs';

function withSecret(answer: EmailSettings): EmailSection {
  return { smtpPassword: null, smtpPasswordSet: false, ...answer };
}

export function useEmail(): UseQueryResult<EmailSection> {
  return useQuery({
    queryKey: EMAIL,
    queryFn: async ({ client, queryKey, signal }) =>
      withSecret(
        await call('get', '/settings/email', { background: isBackground(client, queryKey), signal }),
      ),
  });
}

export function useSecurity(): UseQueryResult<Security> {
  return useQuery({
    queryKey: SECURITY,
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/settings/security', { background: isBackground(client, queryKey), signal }),
  });
}

export function useSystem(): UseQueryResult<System> {
  return useQuery({
    queryKey: SYSTEM,
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/settings/system', { background: isBackground(client, queryKey), signal }),
  });
}

export function useStatus(): UseQueryResult<Status> {
  return useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => call('get', '/status', { background: true, signal }),
  });
}

/** Takes over what a save answered, past a reading that is still on its way; the log has an entry more. */
async function adopt<T>(client: QueryClient, queryKey: readonly string[], saved: T): Promise<T> {
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, saved);
  void client.invalidateQueries({ queryKey: [LOGS] });
  return saved;
}

/** Saves the keys that are given; `confirm` even an allow-list that shuts the saver out. */
export function useSaveSecurity(): (changes: Security, confirm: boolean) => Promise<Security> {
  const client = useQueryClient();
  return async (changes, confirm) => {
    const query = confirm ? { confirm } : {};
    return adopt(client, SECURITY, await call('put', '/settings/security', { body: changes, query }));
  };
}

/** Saves the keys that are given. */
export function useSaveEmail(): (changes: EmailSettings) => Promise<EmailSection> {
  const client = useQueryClient();
  return async (changes) =>
    adopt(client, EMAIL, withSecret(await call('put', '/settings/email', { body: changes })));
}

/** Saves the keys that are given, and lets every open tab show them. */
export function useSaveSystem(): (changes: System) => Promise<System> {
  const client = useQueryClient();
  return async (changes) => {
    const saved = await call('put', '/settings/system', { body: changes });
    announceBranding();
    return adopt(client, SYSTEM, saved);
  };
}

/** The newest entries of the access log, of one action or of all; the old ones stay on screen while others load. */
export function useLogs(action: AccessAction | undefined, limit: number): UseQueryResult<AccessLog> {
  return useQuery({
    queryKey: [LOGS, action, limit],
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/logs', {
        query: { limit, ...(action ? { action } : {}) },
        background: isBackground(client, queryKey),
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** To be called after something that the log has noted. */
export function useLogsChanged(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: [LOGS] });
}

export function useClearLogs(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await call('delete', '/logs', {});
    await client.invalidateQueries({ queryKey: [LOGS] });
  };
}

/** Puts every section back to its defaults; the page has to be loaded anew to show them. */
export async function resetSettings(): Promise<void> {
  await call('delete', '/settings', {});
  announceBranding();
}
