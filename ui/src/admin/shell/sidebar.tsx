import {
  ChartColumn,
  ChevronDown,
  Inbox,
  Keyboard,
  LogOut,
  type LucideIcon,
  Mail,
  MessageSquareText,
  Send,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
} from 'lucide-react';
import { useState } from 'react';
import { NavLink, useLocation } from 'react-router-dom';
import { paths } from '../common/paths';
import { Brand } from './brand';
import styles from './sidebar.module.css';

interface SidebarProps {
  /** On a narrow column only the pictures show; the words stay for screen readers and as tooltips. */
  collapsible: boolean;
  onLogout: () => void;
  onKeys: () => void;
  onGo?: () => void;
}

export function Sidebar({ collapsible, onLogout, onKeys, onGo }: SidebarProps) {
  return (
    <div className={styles.sidebar} data-collapsible={collapsible || undefined}>
      <div className={styles.brand}>
        <Brand />
      </div>
      <nav aria-label="Menu del pannello">
        <ul className={styles.list}>
          {NAV.map((entry) =>
            'items' in entry ? (
              <Group key={entry.label} group={entry} onGo={onGo} />
            ) : (
              <Item key={entry.to} item={entry} onGo={onGo} />
            ),
          )}
        </ul>
      </nav>
      <div className={styles.foot}>
        <button
          type="button"
          className={styles.item}
          title="Scorciatoie da tastiera"
          aria-haspopup="dialog"
          onClick={onKeys}
        >
          <Keyboard aria-hidden="true" />
          <span className={styles.label}>Scorciatoie</span>
        </button>
        <button type="button" className={styles.item} title="Esci" onClick={onLogout}>
          <LogOut aria-hidden="true" />
          <span className={styles.label}>Esci</span>
        </button>
        <p className={styles.caption}>Admin Panel</p>
      </div>
    </div>
  );
}

type OnGo = (() => void) | undefined;

function Item({ item: { to, label, icon: Icon }, onGo }: { item: NavItem; onGo: OnGo }) {
  return (
    <li>
      <NavLink className={styles.item ?? ''} to={to} title={label} {...(onGo ? { onClick: onGo } : {})}>
        <Icon aria-hidden="true" />
        <span className={styles.label}>{label}</span>
      </NavLink>
    </li>
  );
}

/** Opens and closes; open from the start for whoever is on one of its screens. */
function Group({ group: { label, icon: Icon, under, items }, onGo }: { group: NavGroup; onGo: OnGo }) {
  const inside = useLocation().pathname.startsWith(under);
  const [opened, setOpened] = useState<boolean | null>(null);
  const open = opened ?? inside;
  return (
    <li>
      <button
        type="button"
        className={styles.item}
        title={label}
        aria-expanded={open}
        onClick={() => setOpened(!open)}
      >
        <Icon aria-hidden="true" />
        <span className={styles.label}>{label}</span>
        <ChevronDown className={styles.chevron} aria-hidden="true" />
      </button>
      {open ? (
        <ul className={styles.sublist}>
          {items.map((item) => (
            <Item key={item.to} item={item} onGo={onGo} />
          ))}
        </ul>
      ) : null}
    </li>
  );
}

interface NavItem {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Key that leads there after `g`. */
  go?: [key: string, label: string];
}

interface NavGroup {
  label: string;
  icon: LucideIcon;
  under: string;
  items: readonly NavItem[];
}

type NavEntry = NavItem | NavGroup;

const NAV: readonly NavEntry[] = [
  { to: paths.reports, label: 'Segnalazioni', icon: Inbox, go: ['s', 'Vai alle segnalazioni'] },
  { to: paths.analytics, label: 'Analytics', icon: ChartColumn, go: ['a', 'Vai alle statistiche'] },
  { to: paths.deliveries, label: 'Consegne', icon: Send, go: ['c', 'Vai alle consegne'] },
  {
    to: paths.prompts,
    label: 'Prompt Chat',
    icon: MessageSquareText,
    go: ['p', 'Vai alle frasi della chat'],
  },
  {
    label: 'Impostazioni',
    icon: Settings,
    under: paths.settings,
    items: [
      { to: paths.email, label: 'Email & SMTP', icon: Mail, go: ['i', 'Vai alle impostazioni'] },
      { to: paths.security, label: 'Sicurezza', icon: ShieldCheck },
      { to: paths.system, label: 'Sistema', icon: SlidersHorizontal },
    ],
  },
];

export const SCREENS: readonly NavItem[] = NAV.flatMap((entry) => ('items' in entry ? entry.items : [entry]));
