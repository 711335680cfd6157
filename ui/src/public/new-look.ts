/** Gives a page that is already open the look that the newsroom has chosen meanwhile. Must touch nothing of the chat. */
import { call } from '../shared/api/client';
import type { Branding } from '../shared/api/schema';
import { applyAppearance } from '../shared/lib/appearance';
import { readBoot } from '../shared/lib/boot';

/** The present look of the page; the server sent the first one. */
const { branding, callout } = readBoot();
let shown: Branding = branding;

/** Reads the branding and applies what differs; names and logo of the page itself are the caller's. */
export async function takeNewLook(onBranding: (branding: Branding) => void): Promise<void> {
  const now = await call('get', '/branding', { background: true });
  applyAppearance(shown, now);
  document.title = `${callout?.title ?? now.productName} · ${now.organizationName}`;
  shown = now;
  onBranding(now);
}
