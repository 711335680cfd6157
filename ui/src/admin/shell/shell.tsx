import { Menu } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Outlet, useNavigate } from 'react-router-dom';
import { Button } from '../../shared/ui/button';
import { Modal } from '../../shared/ui/dialog';
import { Failure, useAction } from '../common/action';
import { EVERYWHERE } from '../common/keys/shortcut';
import { useAskBeforeLeaving } from '../common/leave-guard';
import { useRights, useSession } from '../common/session/session-context';
import { ToastProvider, useUndo } from '../common/toast-strip';
import { KeyboardProvider, useKeyboard, useShortcuts } from '../keyboard/keyboard-context';
import { ArrivalKeeper } from '../notices/arrival-keeper';
import {
  AttachmentsBanner,
  AuthenticityBanner,
  BackupBanner,
  DeliveryBanner,
  DiskBanner,
  DroppedFilesBanner,
  MailSecretBanner,
  NewBrowserBanner,
  ReplicaBanner,
  SiegeBanner,
} from './banners';
import { Brand } from './brand';
import styles from './shell.module.css';
import { Sidebar, waysOf } from './sidebar';
import { useFolded } from './use-folded';

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
  const session = useSession();
  const rights = useRights();
  const ask = useAskBeforeLeaving();
  const exit = useAction();
  const logout = () => ask(() => void exit.run(() => session.logout()));
  const { openSheet, openPalette } = useKeyboard();
  const navigate = useNavigate();
  useShortcuts(
    EVERYWHERE,
    waysOf(rights).map(({ to, go: [key, label] }) => ({
      keys: `g ${key}`,
      label,
      run: () => navigate(to),
    })),
  );
  const [folded, fold] = useFolded();
  const turn = () => fold(!folded);
  useShortcuts(EVERYWHERE, [{ keys: '[', label: folded ? 'Apri il menu' : 'Chiudi il menu', run: turn }]);

  return (
    <div className={styles.shell} data-folded={folded || undefined}>
      <ArrivalKeeper />
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        Vai al contenuto
      </button>
      <header className={styles.topbar}>
        <Button
          variant="icon"
          aria-label="Apri il menu"
          aria-haspopup="dialog"
          icon={<Menu />}
          onClick={() => setDrawer(true)}
        />
        <Brand />
      </header>
      <aside className={styles.side} aria-label="Barra laterale">
        <Sidebar
          folded={folded}
          onFold={turn}
          onLogout={logout}
          onKeys={openSheet}
          onCommands={openPalette}
        />
      </aside>
      {drawer ? (
        <Drawer onClose={closeDrawer}>
          <Sidebar
            drawer
            folded={false}
            onFold={closeDrawer}
            onLogout={logout}
            onKeys={() => {
              setDrawer(false);
              openSheet();
            }}
            onCommands={() => {
              setDrawer(false);
              openPalette();
            }}
            onGo={closeDrawer}
          />
        </Drawer>
      ) : null}
      <main className={styles.main} id="contenuto" tabIndex={-1} ref={main}>
        <ToastProvider>
          <UndoKey />
          <Failure of={exit} title="Non è stato possibile uscire: sei ancora collegato." />
          {rights.administers ? (
            <>
              <AuthenticityBanner />
              <DeliveryBanner />
              <MailSecretBanner />
              <BackupBanner />
              <ReplicaBanner />
              <SiegeBanner />
            </>
          ) : null}
          <DiskBanner />
          <AttachmentsBanner />
          <DroppedFilesBanner />
          <NewBrowserBanner />
          <Outlet />
        </ToastProvider>
      </main>
    </div>
  );
}

function UndoKey() {
  const undo = useUndo();
  useShortcuts(EVERYWHERE, undo ? [{ keys: 'z', label: 'Annulla l’ultima modifica', run: undo }] : []);
  return null;
}

function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  // Turned to a wider window, the sidebar is back and a modal without a visible box would block the page.
  useEffect(() => {
    const wide = window.matchMedia('(width >= 48rem)');
    wide.addEventListener('change', onClose);
    return () => wide.removeEventListener('change', onClose);
  }, [onClose]);
  return (
    <Modal light className={styles.drawer} aria-label="Menu" onCancel={onClose}>
      <div className={styles.panel}>{children}</div>
    </Modal>
  );
}
