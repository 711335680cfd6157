import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../../shared/ui/button';
import styles from './shell.module.css';
import { Sidebar } from './sidebar';

interface DrawerProps {
  open: boolean;
  onClose: () => void;
  onLogout: () => void;
  onKeys: () => void;
}

/** The sidebar on a phone: a native modal that slides in from the left. */
export function Drawer({ open, onClose, onLogout, onKeys }: DrawerProps) {
  const ref = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog) {
      return;
    }
    dialog.showModal();
    // Turned to a wider window, the sidebar is back and a modal without a visible box would block the page.
    const wide = window.matchMedia('(width >= 48rem)');
    wide.addEventListener('change', onClose);
    return () => {
      wide.removeEventListener('change', onClose);
      dialog.close();
    };
  }, [open, onClose]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click outside has Escape as its key
    <dialog
      ref={ref}
      className={styles.drawer}
      aria-label="Menu"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) {
          onClose();
        }
      }}
    >
      {open ? (
        <div className={styles.panel}>
          <Button
            variant="icon"
            className={styles.close}
            aria-label="Chiudi il menu"
            icon={<X aria-hidden="true" />}
            onClick={onClose}
          />
          <Sidebar collapsible={false} onLogout={onLogout} onKeys={onKeys} onGo={onClose} />
        </div>
      ) : null}
    </dialog>
  );
}
