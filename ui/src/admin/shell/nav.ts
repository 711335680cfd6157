/** What the sidebar offers. Must list only screens that work: one line each. */
import { Inbox, type LucideIcon } from 'lucide-react';
import { paths } from '../common/paths';

export interface NavItem {
  to: string;
  label: string;
  icon: LucideIcon;
}

export const NAV: readonly NavItem[] = [{ to: paths.reports, label: 'Segnalazioni', icon: Inbox }];
