import { LogOut } from 'lucide-react';
import { NavLink } from 'react-router-dom';
import { Brand } from './brand';
import { NAV } from './nav';
import styles from './sidebar.module.css';

interface SidebarProps {
  /** On a narrow column only the pictures show; the words stay for screen readers and as tooltips. */
  collapsible: boolean;
  onLogout: () => void;
  /** A link was followed. */
  onGo?: () => void;
}

export function Sidebar({ collapsible, onLogout, onGo }: SidebarProps) {
  return (
    <div className={styles.sidebar} data-collapsible={collapsible || undefined}>
      <div className={styles.brand}>
        <Brand />
      </div>
      <nav aria-label="Menu del pannello">
        <ul className={styles.list}>
          {NAV.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <NavLink
                className={styles.item ?? ''}
                to={to}
                title={label}
                {...(onGo ? { onClick: onGo } : {})}
              >
                <Icon aria-hidden="true" />
                <span className={styles.label}>{label}</span>
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.foot}>
        <button type="button" className={styles.item} title="Esci" onClick={onLogout}>
          <LogOut aria-hidden="true" />
          <span className={styles.label}>Esci</span>
        </button>
        <p className={styles.caption}>Admin Panel</p>
      </div>
    </div>
  );
}
