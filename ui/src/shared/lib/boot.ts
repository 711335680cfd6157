/** The values that the server wrote into the page for its first moment. They may be out of date later on. */
import type { Branding, Privacy, Status } from '../api/schema';
import { slugOf } from './slug';

export type Boot = {
  branding: Branding;
  privacy: Privacy;
  welcome: string;
  /** The sentence of the chat in a demonstration. */
  demoNotice?: string;
  status: Status;
  /** Where 'Esci in fretta' leads, and how much an account needs at least; on the public page only. */
  quickExitUrl?: string | null;
  minimum?: { chars: number; words: number };
  /** The limits of attachments; null where none are allowed. Only on the pages for reporters. */
  attachments?: { maxMb: number; perReport: number } | null;
  /** The callout whose page this is; null on the usual page. */
  callout?: BootCallout | null;
  /** Whether reporters can come back; where they do only. */
  receipts?: boolean;
  /** Days until a report is read, and until its reporter knows what became of it; 0: not promised. Where reporters come. */
  promises?: { firstDays: number; outcomeDays: number };
  /** Password of the demonstration; on the panel's pages only, and null everywhere but in demo mode. */
  demoPassword?: string | null;
  /** Whether nobody has chosen a password yet; on the panel's pages only. */
  unset?: boolean;
  /** IANA name of the newsroom's time zone; null for one without a name. */
  timeZone?: string | null;
};

/** A question of the newsroom's own to its public. */
export type BootCallout = {
  slug: string;
  title: string;
  intro: string;
  /** The message in place of the conversation; null while it can be begun. */
  closedText: string | null;
};

function bootOf(page: Document): Boot | null {
  const block = page.getElementById('boot')?.textContent;
  return block ? (JSON.parse(block) as Boot) : null;
}

/** Reads the boot block; a missing one means a broken build or server, so it fails loudly. */
export function readBoot(page: Document = document): Boot {
  const boot = bootOf(page);
  if (!boot) {
    throw new Error('the page carries no boot block');
  }
  return boot;
}

export function rootElement(): HTMLElement {
  const root = document.getElementById('root');
  if (root === null) {
    throw new Error('the page carries no root element');
  }
  return root;
}

/** The newsroom's time zone; Rome's where the page does not say. */
export const zoneOf = (page: Document): string => bootOf(page)?.timeZone ?? 'Europe/Rome';

type Owner = { branding: Pick<Branding, 'productName'>; callout?: Pick<BootCallout, 'slug'> | null };

/** Stands before all that a page keeps: the product's name, as the page came with it, and of a callout its own. */
export const ownName = ({ branding, callout }: Owner): string =>
  slugOf(`${branding.productName} ${callout?.slug ?? ''}`);

/** The key under which this page keeps something. */
export const ownKey = (name: string): string =>
  `${ownName(bootOf(document) ?? { branding: { productName: '' } })}_${name}`;
