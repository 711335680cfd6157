import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../shared/api/client';
import { applyAppearance } from './appearance';
import { useAdoptBranding, useBranding } from './branding';

const CHANNEL = 'segnalazioni-aspetto';
const KEY = ['branding'] as const;

/** Tells every open tab of the panel, this one too, that names, colour or theme have changed. */
export function announceBranding(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Keeps names, colour and theme in step with the server: told by the other tabs, and asked when the window comes back. */
export function BrandingKeeper() {
  const client = useQueryClient();
  const branding = useBranding();
  const adopt = useAdoptBranding();
  const applied = useRef(branding);
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call('get', '/branding', { background: true, signal }),
    initialData: branding,
    staleTime: Number.POSITIVE_INFINITY,
  });

  useEffect(() => {
    const refresh = () => void client.invalidateQueries({ queryKey: KEY });
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', refresh);
    window.addEventListener('focus', refresh);
    return () => {
      channel.close();
      window.removeEventListener('focus', refresh);
    };
  }, [client]);

  useEffect(() => {
    if (data !== applied.current) {
      applyAppearance(applied.current, data);
      applied.current = data;
      adopt(data);
    }
  }, [data, adopt]);

  return null;
}
