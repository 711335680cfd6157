import { Menu } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { Outlet } from 'react-router-dom';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { FaultText } from '../common/error-card';
import { useAskBeforeLeaving } from '../common/leave-guard';
import { KeyboardProvider, useOpenSheet } from '../keyboard/keyboard-context';
import { ArrivalKeeper } from '../notices/arrival-keeper';
import { useSession } from '../session/session-context';
import { BackupBanner, DeliveryBanner } from './banners';
import { Brand } from './brand';
import { Drawer } from './drawer';
import styles from './shell.module.css';
import { Sidebar } from './sidebar';
import { useGoKeys } from './use-go-keys';

/** What surrounds every screen of the panel: skip link, sidebar (rail or drawer on small screens), main part. */
export function Shell() {
  return (
    <KeyboardProvider>
      <Frame />
    </KeyboardProvider>
  );
}

function Frame() {
  const main = useRef<HTMLElement>(null);
  const [drawer, setDrawer] = useState(false);
  const closeDrawer = useCallback(() => setDrawer(false), []);
  const { logout, failure, forget } = useLogout();
  const openSheet = useOpenSheet();
  useGoKeys();

  return (
    <div className={styles.shell}>
      <ArrivalKeeper />
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        Vai al contenuto
      </button>
      <header className={styles.topbar}>
        <Button
          variant="icon"
          aria-label="Apri il menu"
          aria-haspopup="dialog"
          icon={<Menu aria-hidden="true" />}
          onClick={() => setDrawer(true)}
        />
        <Brand />
      </header>
      <aside className={styles.side} aria-label="Barra laterale">
        <Sidebar collapsible onLogout={logout} onKeys={openSheet} />
      </aside>
      <Drawer
        open={drawer}
        onClose={closeDrawer}
        onLogout={logout}
        onKeys={() => {
          setDrawer(false);
          openSheet();
        }}
      />
      <main className={styles.main} id="contenuto" tabIndex={-1} ref={main}>
        {failure ? (
          <div className={styles.failure}>
            <Message
              kind="error"
              title="Non è stato possibile uscire: sei ancora collegato."
              onDismiss={forget}
            >
              <FaultText error={failure} />
            </Message>
          </div>
        ) : null}
        <DeliveryBanner />
        <BackupBanner />
        <Outlet />
      </main>
    </div>
  );
}

function useLogout() {
  const session = useSession();
  const ask = useAskBeforeLeaving();
  const [failure, setFailure] = useState<unknown>(null);
  const forget = () => setFailure(null);
  const logout = () => {
    ask(() => {
      setFailure(null);
      session.logout().catch((error: unknown) => setFailure(error));
    });
  };
  return { logout, failure, forget };
}
