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
  RoutingMemory,
  Security,
  SystemInfo,
  SystemSettings,
  TestResult,
} from '../../shared/api/schema';
import { announceBranding } from '../common/branding-keeper';
import { isBackground } from '../common/polling';
import { RETENTION } from '../common/retention';
import type { EmailSection, SystemSection } from './sections';

const EMAIL = ['settings', 'email'] as const;
const SECURITY = ['settings', 'security'] as const;
const SYSTEM = ['settings', 'system'] as const;
const ROUTING_MEMORY = ['routing', 'memory'] as const;
const LOGS = 'logs';
/** Longest wait for a picture to arrive at the server, over a slow line, in milliseconds. */
const UPLOAD_MS = 60_000;

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

function systemSection(answer: SystemSettings): SystemSection {
  return { webhookApiKey: null, webhookApiKeySet: false, webhookSecretSet: false, ...answer };
}

export function useSystem(): UseQueryResult<SystemSection> {
  return useQuery({
    queryKey: SYSTEM,
    queryFn: async ({ client, queryKey, signal }) =>
      systemSection(
        await call('get', '/settings/system', { background: isBackground(client, queryKey), signal }),
      ),
  });
}

/** The program that answers. */
export function useSystemInfo(): UseQueryResult<SystemInfo> {
  return useQuery({
    queryKey: ['system-info'],
    queryFn: ({ signal }) => call('get', '/system', { background: true, signal }),
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
    const saved = await call('put', '/settings/security', { body: changes, query });
    void client.invalidateQueries({ queryKey: [RETENTION] });
    return adopt(client, SECURITY, saved);
  };
}

/** Saves the keys that are given. */
export function useSaveEmail(): (changes: EmailSettings) => Promise<EmailSection> {
  const client = useQueryClient();
  return async (changes) =>
    adopt(client, EMAIL, withSecret(await call('put', '/settings/email', { body: changes })));
}

/** Saves the keys that are given, and lets every open tab show them. */
export function useSaveSystem(): (changes: SystemSettings) => Promise<SystemSection> {
  const client = useQueryClient();
  return async (changes) => {
    const saved = systemSection(await call('put', '/settings/system', { body: changes }));
    announceBranding();
    return adopt(client, SYSTEM, saved);
  };
}

/** A file's content in base64. */
function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Changes the logo, and lets every open tab show it. The saved address of an earlier one goes with it. */
export function useLogo(): { upload: (file: Blob) => Promise<void>; remove: () => Promise<void> } {
  const client = useQueryClient();
  const changed = () => {
    announceBranding();
    void client.invalidateQueries({ queryKey: SYSTEM });
    void client.invalidateQueries({ queryKey: [LOGS] });
  };
  return {
    upload: async (file) => {
      await call('put', '/settings/logo', { body: { image: await base64Of(file) }, timeoutMs: UPLOAD_MS });
      changed();
    },
    remove: async () => {
      await call('delete', '/settings/logo', {});
      changed();
    },
  };
}

/** Longest wait for a test: the server gives the other side 10 s, in milliseconds. */
const TEST_MS = 20_000;

/** Calls the webhook once, as these settings say; the stored secrets go along only to the saved address. */
export function testWebhook(settings: Partial<SystemSettings>): Promise<TestResult> {
  // The generated type marks fields with a default as present; a test needs only those of the webhook.
  return call('post', '/settings/webhook/test', { body: settings as SystemSettings, timeoutMs: TEST_MS });
}

/** The key that signs the webhook's calls: a new one, given once, or none. */
export function useSigningKey(): { renew: () => Promise<string>; remove: () => Promise<void> } {
  const client = useQueryClient();
  const changed = () => {
    void client.invalidateQueries({ queryKey: SYSTEM });
    void client.invalidateQueries({ queryKey: [LOGS] });
  };
  return {
    renew: async () => {
      const { secret } = await call('post', '/settings/webhook/secret', {});
      changed();
      return secret;
    },
    remove: async () => {
      await call('delete', '/settings/webhook/secret', {});
      changed();
    },
  };
}

/** How many moves of reports routing remembers. */
export function useRoutingMemory(): UseQueryResult<RoutingMemory> {
  return useQuery({
    queryKey: ROUTING_MEMORY,
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/routing/memory', { background: isBackground(client, queryKey), signal }),
  });
}

/** Forgets the moves. */
export function useForgetMoves(): () => Promise<RoutingMemory> {
  const client = useQueryClient();
  return async () => adopt(client, ROUTING_MEMORY, await call('delete', '/routing/memory', {}));
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
