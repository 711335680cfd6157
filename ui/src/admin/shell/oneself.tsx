import { CircleUserRound, Keyboard, LogOut, UserRound } from 'lucide-react';
import { useId, useRef } from 'react';
import { NavLink } from 'react-router-dom';
import menu from '../../shared/ui/menu.module.css';
import { paths } from '../common/paths';
import { Face } from '../common/people/face';
import { useRights } from '../common/session/session-context';
import { ThemeChoice } from '../common/theme-choice';
import styles from './sidebar.module.css';

interface OneselfProps {
  onLogout: () => void;
  onKeys: () => void;
  onGo: (() => void) | undefined;
}

/** Everything about the person who is logged in: access, theme, keys, the way out. */
export function Oneself({ onLogout, onKeys, onGo }: OneselfProps) {
  const { who } = useRights();
  const id = useId();
  const card = useRef<HTMLDivElement>(null);
  const name = who ? who.name : 'Il tuo accesso';
  const after = (run?: () => void) => () => {
    card.current?.hidePopover();
    run?.();
  };
  return (
    <>
      <button
        type="button"
        className={menu.item}
        title="Accesso, tema, scorciatoie, uscita"
        popoverTarget={id}
      >
        {who ? <Face name={who.name} /> : <CircleUserRound />}
        <span className={styles.label}>{name}</span>
      </button>
      <div ref={card} id={id} popover="auto" className={styles.oneself}>
        <NavLink className={menu.item ?? ''} to={paths.account} onClick={after(onGo)}>
          <UserRound />
          Il tuo accesso
        </NavLink>
        <button type="button" className={menu.item} aria-haspopup="dialog" onClick={after(onKeys)}>
          <Keyboard />
          Scorciatoie
          <span aria-hidden="true" className={styles.number}>
            ?
          </span>
        </button>
        <ThemeChoice />
        <button type="button" className={menu.item} onClick={after(onLogout)}>
          <LogOut />
          Esci
        </button>
        <p className={styles.caption}>Admin Panel</p>
      </div>
    </>
  );
}
