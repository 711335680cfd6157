import { useRef, useSyncExternalStore } from 'react';
import { Button } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { Dialog } from '../../shared/ui/dialog';
import { Stack, Text } from '../../shared/ui/layout';
import type { Keyboard } from './keyboard';
import styles from './keyboard.module.css';
import { Keys } from './keys';
import { EVERYWHERE, type Shortcut } from './registry';

interface ShortcutSheetProps {
  open: boolean;
  keyboard: Keyboard;
  onClose: () => void;
}

/** The keys of the screen one is on, and the switch for those who do not want them (WCAG 2.1.4). */
export function ShortcutSheet({ open, keyboard, onClose }: ShortcutSheetProps) {
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={open}
      title="Scorciatoie da tastiera"
      onCancel={onClose}
      initialFocus={close}
      actions={
        <Button ref={close} onClick={onClose}>
          Chiudi
        </Button>
      }
    >
      <Switch keyboard={keyboard} />
      {groupsOf(keyboard.shortcuts).map(([group, shortcuts]) => (
        <section key={group} aria-label={group}>
          <Text as="h3" tone="muted" small strong className={styles.group}>
            {group}
          </Text>
          <Stack as="dl" gap={1}>
            {shortcuts.map(({ keys, label }) => (
              <div key={keys} className={styles.entry}>
                <dt>
                  <Keys keys={keys} />
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </Stack>
        </section>
      ))}
    </Dialog>
  );
}

function Switch({ keyboard }: { keyboard: Keyboard }) {
  const { enabled } = useSyncExternalStore(keyboard.subscribe, () => keyboard.state);
  return (
    <Checkbox checked={enabled} onChange={(on) => keyboard.enable(on)}>
      Usa le scorciatoie
      <br />
      <Text as="small" tone="muted" small>
        Quelle con Ctrl restano attive. La scelta vale per questo browser.
      </Text>
    </Checkbox>
  );
}

/** The page's own commands first. */
function groupsOf(shortcuts: readonly Shortcut[]): [string, Shortcut[]][] {
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of shortcuts) {
    groups.set(shortcut.group, [...(groups.get(shortcut.group) ?? []), shortcut]);
  }
  return [...groups].sort(([one], [other]) => Number(one === EVERYWHERE) - Number(other === EVERYWHERE));
}
