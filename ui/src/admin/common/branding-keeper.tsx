import { useEffect, useRef } from 'react';
import { applyAppearance } from '../../shared/lib/appearance';
import { useBrandingState } from './branding';
import { ownTheme } from './own-theme';
import { useRead, useRefresh } from './use-read';

const CHANNEL = 'segnalazioni-aspetto';
const LOOK_MS = 5000;

/** Tells every open tab of the panel, this one too, that names, logo, colour or theme have changed. */
export function announceBranding(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Keeps names, logo, colour and theme in step with the server: told by the other tabs, and by asking. */
export function BrandingKeeper() {
  const refresh = useRefresh();
  const { branding, adopt } = useBrandingState();
  const applied = useRef(branding);
  const { data = branding } = useRead('/branding', {
    background: true,
    initialData: branding,
    refetchInterval: LOOK_MS,
  });

  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', () => void refresh('/branding'));
    return () => channel.close();
  }, [refresh]);

  useEffect(() => {
    if (data !== applied.current) {
      applyAppearance(applied.current, data, ownTheme() !== undefined);
      applied.current = data;
      adopt(data);
    }
  }, [data, adopt]);

  return null;
}
