/** What the server wrote into the page for its first moment. Must never be trusted to still hold later on. */
import type { Branding, Privacy, Status } from '../api/schema';

export type Boot = {
  branding: Branding;
  privacy: Privacy;
  welcome: string;
  status: Status;
  /** Where 'Esci in fretta' leads, and how much an account needs at least; on the public page only. */
  quickExitUrl?: string | null;
  minimum?: { chars: number; words: number };
  /** What may be attached; null where nothing may. On the pages for reporters only. */
  attachments?: { maxMb: number; perReport: number } | null;
  /** Whether reporters can come back; where they do only. */
  receipts?: boolean;
  /** Password of the demonstration; on the panel's pages only, and null everywhere but in demo mode. */
  demoPassword?: string | null;
  /** IANA name of the newsroom's time zone; null for one without a name. */
  timeZone?: string | null;
};

/** Reads the boot block; an unreadable one means a broken build or server, so it fails loudly. */
export function readBoot(page: Document = document): Boot {
  const block = page.getElementById('boot')?.textContent;
  if (!block) {
    throw new Error('the page carries no boot block');
  }
  return JSON.parse(block) as Boot;
}

export function rootElement(): HTMLElement {
  const root = document.getElementById('root');
  if (root === null) {
    throw new Error('the page carries no root element');
  }
  return root;
}

/** The newsroom's time zone; Rome's where the page does not say. */
export function zoneOf(page: Document): string {
  const block = page.getElementById('boot')?.textContent;
  return (block ? (JSON.parse(block) as Boot).timeZone : null) ?? 'Europe/Rome';
}
