import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { applyAppearance } from '../../shared/lib/appearance';
import { readBoot } from '../../shared/lib/boot';
import { useAdoptBranding, useBranding } from './branding';
import { useRead } from './use-read';

const CHANNEL = 'segnalazioni-aspetto';
const KEY = ['/branding'];
/** Pause between two looks at whether somebody else has changed it, in milliseconds. */
const LOOK_MS = 5000;

/** Tells every open tab of the panel, this one too, that names, logo, colour or theme have changed. */
export function announceBranding(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Keeps names, logo, colour and theme in step with the server: told by the other tabs, and by the server's status. */
export function BrandingKeeper() {
  const client = useQueryClient();
  const branding = useBranding();
  const adopt = useAdoptBranding();
  const applied = useRef(branding);
  const { data = branding } = useRead('/branding', {
    background: true,
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

  const status = useRead('/status', {
    background: true,
    initialData: () => readBoot().status,
    refetchInterval: LOOK_MS,
  });
  const appearance = status.data?.appearance;
  const seen = useRef(appearance);
  useEffect(() => {
    if (appearance !== seen.current) {
      seen.current = appearance;
      void client.invalidateQueries({ queryKey: KEY });
    }
  }, [appearance, client]);

  useEffect(() => {
    if (data !== applied.current) {
      applyAppearance(applied.current, data);
      applied.current = data;
      adopt(data);
    }
  }, [data, adopt]);

  return null;
}
