/** Addresses inside the panel, without the base path. Must be the only place that spells them. */
import type { SettingsPage } from './settings-pages';

export const paths = {
  login: '/login',
  setup: '/setup',
  invitation: '/invito',
  admin: '/admin',
  mine: '/admin/for-you',
  reports: '/admin/reports',
  /** 'Da fare', the list one lands on. */
  todo: '/admin/reports?todo=true',
  report: (id: string) => `/admin/reports/${encodeURIComponent(id)}`,
  copy: (id: string) => `/admin/reports/${encodeURIComponent(id)}/copia`,
  changes: '/admin/changes',
  retention: '/admin/expiring',
  callouts: '/admin/callouts',
  callout: (id: string) => `/admin/callouts/${encodeURIComponent(id)}`,
  answers: (id: string) => `/admin/callouts/${encodeURIComponent(id)}/answers`,
  stories: '/admin/storie',
  story: (id: string) => `/admin/storie/${encodeURIComponent(id)}`,
  /** A proposal, beside the stories. */
  proposal: (key: string) => `/admin/storie?proposta=${encodeURIComponent(key)}`,
  analytics: '/admin/analytics',
  deliveries: '/admin/deliveries',
  prompts: '/admin/prompts',
  account: '/admin/account',
  opening: '/admin/opening',
  settings: '/admin/settings',
  section: (name: string) => `/admin/settings/${name}`,
  setting: (page: SettingsPage, field?: string) => `/admin/settings/${page}${field ? `#${field}` : ''}`,
} as const;

/** The state of a link in its history entry: it survives a reload and never shows in the address bar. */
export interface Trail {
  from?: string;
  /** Query of the list a report was opened from, such as `?stato=Nuova`. */
  list?: string;
  /** How many reports were erased just before: the list says so, once. */
  erased?: number;
  /** A report was taken down just before, and is on a desk that one does not see: the same. */
  away?: boolean;
}

export function readTrail(state: unknown): Trail {
  if (typeof state !== 'object' || state === null) {
    return {};
  }
  const { from, list, erased, away } = state as Record<string, unknown>;
  return {
    ...(typeof from === 'string' && /^\/admin(?:[/?]|$)/.test(from) ? { from } : {}),
    ...(typeof list === 'string' && list.startsWith('?') ? { list } : {}),
    ...(typeof erased === 'number' && erased > 0 ? { erased } : {}),
    ...(away === true ? { away } : {}),
  };
}
