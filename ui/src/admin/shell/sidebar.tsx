import {
  AtSign,
  ChartColumn,
  ChevronLeft,
  ChevronRight,
  Inbox,
  Layers,
  type LucideIcon,
  Megaphone,
  Search,
  Settings,
} from 'lucide-react';
import { NavLink, useLocation } from 'react-router-dom';
import { formatNumber } from '../../shared/lib/text';
import menu from '../../shared/ui/menu.module.css';
import { paths } from '../common/paths';
import { type Rights, useRights } from '../common/session/session-context';
import { SECTIONS } from '../common/settings-pages';
import { useRead } from '../common/use-read';
import { useAgenda } from '../notices/agenda';
import { ANNOUNCED, useProposals } from '../stories/api';
import { Brand } from './brand';
import { Oneself } from './oneself';
import styles from './sidebar.module.css';

const LOOK_MS = 15_000;

interface SidebarProps {
  /** A rail of pictures; the words stay for screen readers and as tooltips. */
  folded: boolean;
  /** Folds it, or unfolds it; closes the drawer. */
  onFold: () => void;
  /** In the drawer of a phone. */
  drawer?: boolean;
  onLogout: () => void;
  onKeys: () => void;
  onCommands: () => void;
  onGo?: () => void;
}

export function Sidebar({ folded, onFold, drawer = false, onCommands, onGo, ...oneself }: SidebarProps) {
  const rights = useRights();
  const proposals = useProposals().data?.data ?? [];
  const todo = useRead('/reports', {
    with: { query: { todo: true, limit: 1 } },
    background: true,
    refetchInterval: LOOK_MS,
  });
  const numbers = new Map<string, number>([
    [paths.todo, todo.data?.counts.todo ?? 0],
    [paths.mine, useAgenda().data?.reports ?? 0],
    [paths.stories, proposals.filter(({ reports }) => reports.length >= ANNOUNCED).length],
  ]);
  const fold = drawer ? 'Chiudi' : folded ? 'Apri menu' : 'Chiudi menu';
  return (
    <div className={styles.sidebar} data-folded={folded || undefined}>
      <div className={styles.brand}>
        <Brand />
      </div>
      <nav aria-label="Menu del pannello">
        <ul className={styles.list}>
          {screensOf(rights).map((item) => (
            <Item key={item.to} item={item} onGo={onGo} n={numbers.get(item.to) ?? 0} />
          ))}
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
        <Oneself onGo={onGo} {...oneself} />
        <button
          type="button"
          className={menu.item}
          title={drawer ? fold : `${fold} ([)`}
          aria-keyshortcuts={drawer ? undefined : '['}
          onClick={onFold}
        >
          {folded ? <ChevronRight /> : <ChevronLeft />}
          <span className={styles.label}>{fold}</span>
          {drawer ? null : <Key>[</Key>}
        </button>
      </div>
    </div>
  );
}

/** The key of a command: screen readers know it from the button. */
const Key = ({ children }: { children: string }) => (
  <span aria-hidden="true" className={styles.key}>
    {children}
  </span>
);

type OnGo = (() => void) | undefined;

const going = (onGo: OnGo) => (onGo ? { onClick: onGo } : {});

/** Numbers up to here stand beside the longest entry; greater ones are in its title. */
const SHOWN = 99;

function Item({ item: { to, label, icon: Icon }, n = 0, onGo }: { item: NavItem; n?: number; onGo: OnGo }) {
  const many = n > SHOWN;
  return (
    <li>
      <NavLink
        className={menu.item ?? ''}
        to={to}
        title={many ? `${label}: ${formatNumber(n)}` : label}
        {...going(onGo)}
      >
        <Icon />
        <span className={styles.label}>{label}</span>
        {n > 0 ? <b className={styles.number}>{many ? `${SHOWN}+` : n}</b> : null}
      </NavLink>
      {to === paths.settings ? <SettingsParts onGo={onGo} /> : null}
    </li>
  );
}

/** What one sets, while one is there: in the order of the work before the first report. */
const PARTS = [
  ...SECTIONS.map(({ name, label }) => ({ to: paths.section(name), label })),
  { to: paths.prompts, label: 'Prompt Chat' },
  { to: paths.deliveries, label: 'Consegne' },
];

const inSettings = (pathname: string) =>
  [paths.settings, paths.prompts, paths.deliveries].some((path) => pathname.startsWith(path));

function SettingsParts({ onGo }: { onGo: OnGo }) {
  return inSettings(useLocation().pathname) ? (
    <ul className={styles.sections} aria-label="Impostazioni">
      {PARTS.map(({ to, label }) => (
        <li key={to}>
          <NavLink className={menu.item ?? ''} to={to} {...going(onGo)}>
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
  /** Key that leads there after `g`, and the command's name. */
  go: [key: string, label: string];
  /** The right without which it is not shown. */
  needs?: 'edits' | 'administers';
}

const SCREENS: readonly NavItem[] = [
  { to: paths.mine, label: 'Per te', icon: AtSign, go: ['t', 'Vai a «Per te»'] },
  { to: paths.todo, label: 'Segnalazioni', icon: Inbox, go: ['s', 'Vai alle segnalazioni'] },
  { to: paths.stories, label: 'Storie', icon: Layers, go: ['o', 'Vai alle storie'] },
  { to: paths.callouts, label: 'Inchieste', icon: Megaphone, go: ['n', 'Vai alle inchieste'] },
  { to: paths.analytics, label: 'Analytics', icon: ChartColumn, go: ['a', 'Vai alle statistiche'] },
  {
    to: paths.settings,
    label: 'Impostazioni',
    icon: Settings,
    go: ['i', 'Vai alle impostazioni'],
    needs: 'administers',
  },
];

/** Pages that have a key but no entry of their own in the menu. */
const INNER: readonly Pick<NavItem, 'to' | 'go' | 'needs'>[] = [
  { to: paths.deliveries, go: ['c', 'Vai alle consegne'], needs: 'administers' },
  { to: paths.prompts, go: ['p', 'Vai alle frasi della chat (Prompt Chat)'], needs: 'administers' },
  { to: paths.opening, go: ['d', 'Vai a «Prima di aprire»'], needs: 'administers' },
  { to: paths.changes, go: ['u', 'Vai alle ultime modifiche'], needs: 'edits' },
  { to: paths.account, go: ['m', 'Vai al tuo accesso'] },
];

const open = <Page extends Pick<NavItem, 'needs'>>(pages: readonly Page[], rights: Rights) =>
  pages.filter(({ needs }) => !needs || rights[needs]);

export const screensOf = (rights: Rights) => open(SCREENS, rights);

/** Everything that `g` and a letter lead to. */
export const waysOf = (rights: Rights) => [...screensOf(rights), ...open(INNER, rights)];
