/** What the sidebar offers. Must list only screens that work: one line each. */
import {
  ChartColumn,
  Inbox,
  type LucideIcon,
  Mail,
  MessageSquareText,
  Send,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
} from 'lucide-react';
import { paths } from '../common/paths';

export interface NavItem {
  to: string;
  label: string;
  icon: LucideIcon;
}

/** Screens under one name, shown when it is opened. */
export interface NavGroup {
  label: string;
  icon: LucideIcon;
  /** Addresses of its screens begin like this. */
  under: string;
  items: readonly NavItem[];
}

export type NavEntry = NavItem | NavGroup;

export const NAV: readonly NavEntry[] = [
  { to: paths.reports, label: 'Segnalazioni', icon: Inbox },
  { to: paths.analytics, label: 'Analytics', icon: ChartColumn },
  { to: paths.deliveries, label: 'Consegne', icon: Send },
  { to: paths.prompts, label: 'Prompt Chat', icon: MessageSquareText },
  {
    label: 'Impostazioni',
    icon: Settings,
    under: paths.settings,
    items: [
      { to: paths.email, label: 'Email & SMTP', icon: Mail },
      { to: paths.security, label: 'Sicurezza', icon: ShieldCheck },
      { to: paths.system, label: 'Sistema', icon: SlidersHorizontal },
    ],
  },
];

/** Every screen of the sidebar, in its order, those inside of groups too. */
export const SCREENS: readonly NavItem[] = NAV.flatMap((entry) => ('items' in entry ? entry.items : [entry]));
