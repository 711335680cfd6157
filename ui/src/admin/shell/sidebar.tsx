import {
  AtSign,
  ChartColumn,
  CircleUserRound,
  Inbox,
  Keyboard,
  ListChecks,
  LogOut,
  type LucideIcon,
  Megaphone,
  MessageSquareText,
  Newspaper,
  Search,
  Send,
  Settings,
} from 'lucide-react';
import { NavLink, useLocation } from 'react-router-dom';
import { formatNumber } from '../../shared/lib/text';
import menu from '../../shared/ui/menu.module.css';
import { paths } from '../common/paths';
import { type Rights, useRights } from '../common/session/session-context';
import { SECTIONS } from '../common/settings-pages';
import { useAgenda } from '../notices/agenda';
import { ANNOUNCED, useProposals } from '../stories/api';
import { useAlerts } from './banners';
import { Brand } from './brand';
import styles from './sidebar.module.css';

interface SidebarProps {
  /** On a narrow column only the pictures show; the words stay for screen readers and as tooltips. */
  collapsible: boolean;
  onLogout: () => void;
  onKeys: () => void;
  onCommands: () => void;
  onGo?: () => void;
}

export function Sidebar({ collapsible, onLogout, onKeys, onCommands, onGo }: SidebarProps) {
  const rights = useRights();
  const { who } = rights;
  const proposals = useProposals().data?.data ?? [];
  const numbers = new Map<string, number>([
    [paths.mine, useAgenda().data?.reports ?? 0],
    [paths.stories, proposals.filter(({ reports }) => reports.length >= ANNOUNCED).length],
  ]);
  /** Points that are open before the public comes. */
  const { opening = [] } = useAlerts().data ?? {};
  return (
    <div className={styles.sidebar} data-collapsible={collapsible || undefined}>
      <div className={styles.brand}>
        <Brand />
      </div>
      <nav aria-label="Menu del pannello">
        <ul className={styles.list}>
          {screensOf(rights).map((item) => (
            <Item key={item.to} item={item} onGo={onGo} n={numbers.get(item.to) ?? 0} />
          ))}
          {opening.length > 0 ? <Item item={OPENING} n={opening.length} onGo={onGo} /> : null}
        </ul>
      </nav>
      <div className={styles.foot}>
        <button
          type="button"
          className={menu.item}
          title="Cerca e comanda (Ctrl+K)"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={onCommands}
        >
          <Search />
          <span className={styles.label}>Comandi</span>
          <Key>Ctrl K</Key>
        </button>
        <button
          type="button"
          className={menu.item}
          title="Scorciatoie da tastiera"
          aria-haspopup="dialog"
          onClick={onKeys}
        >
          <Keyboard />
          <span className={styles.label}>Scorciatoie</span>
          <Key>?</Key>
        </button>
        <NavLink className={menu.item ?? ''} to={paths.account} title="Il tuo accesso" {...going(onGo)}>
          <CircleUserRound />
          <span className={styles.label}>
            {who ? who.name : 'Il tuo accesso'}
            {who ? <span className="visually-hidden">, il tuo accesso</span> : null}
          </span>
        </NavLink>
        <button type="button" className={menu.item} title="Esci" onClick={onLogout}>
          <LogOut />
          <span className={styles.label}>Esci</span>
        </button>
        <p className={styles.caption}>Admin Panel</p>
      </div>
    </div>
  );
}

/** The key of a command: screen readers know it from the button. */
const Key = ({ children }: { children: string }) => (
  <span aria-hidden="true" className={styles.number}>
    {children}
  </span>
);

type OnGo = (() => void) | undefined;

const going = (onGo: OnGo) => (onGo ? { onClick: onGo } : {});

function Item({ item: { to, label, icon: Icon }, n = 0, onGo }: { item: NavItem; n?: number; onGo: OnGo }) {
  return (
    <li>
      <NavLink className={menu.item ?? ''} to={to} title={label} {...going(onGo)}>
        <Icon />
        <span className={styles.label}>{label}</span>
        {n > 0 ? <b className={styles.number}>{formatNumber(n)}</b> : null}
      </NavLink>
      {to === paths.settings ? <SettingsSections onGo={onGo} /> : null}
    </li>
  );
}

/** The three screens of the settings, while one is among them. */
function SettingsSections({ onGo }: { onGo: OnGo }) {
  const { pathname } = useLocation();
  return pathname.startsWith(paths.settings) ? (
    <ul className={styles.sections} aria-label="Impostazioni">
      {SECTIONS.map(({ name, label }) => (
        <li key={name}>
          <NavLink className={menu.item ?? ''} to={paths.section(name)} {...going(onGo)}>
            {label}
          </NavLink>
        </li>
      ))}
    </ul>
  ) : null;
}

interface NavItem {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Key that leads there after `g`. */
  go?: [key: string, label: string];
  closed?: boolean;
}

const SCREENS: readonly NavItem[] = [
  { to: paths.mine, label: 'Per te', icon: AtSign, go: ['t', 'Vai a «Per te»'] },
  { to: paths.reports, label: 'Segnalazioni', icon: Inbox, go: ['s', 'Vai alle segnalazioni'] },
  { to: paths.callouts, label: 'Inchieste', icon: Megaphone, go: ['n', 'Vai alle inchieste'] },
  { to: paths.stories, label: 'Storie', icon: Newspaper, go: ['o', 'Vai alle storie'] },
  { to: paths.analytics, label: 'Analytics', icon: ChartColumn, go: ['a', 'Vai alle statistiche'] },
  { to: paths.deliveries, label: 'Consegne', icon: Send, go: ['c', 'Vai alle consegne'], closed: true },
  {
    to: paths.prompts,
    label: 'Prompt Chat',
    icon: MessageSquareText,
    go: ['p', 'Vai alle frasi della chat'],
    closed: true,
  },
  {
    to: paths.settings,
    label: 'Impostazioni',
    icon: Settings,
    go: ['i', 'Vai alle impostazioni'],
    closed: true,
  },
];

const OPENING: NavItem = { to: paths.opening, label: 'Prima di aprire', icon: ListChecks };

export const screensOf = ({ administers }: Rights) => SCREENS.filter(({ closed }) => administers || !closed);
