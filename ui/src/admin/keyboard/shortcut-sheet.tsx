import { Fragment, useRef, useSyncExternalStore } from 'react';
import { Button } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { Dialog } from '../../shared/ui/dialog';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { EVERYWHERE, type Keyboard, type KeyboardState, type Shortcut } from './keyboard';
import styles from './keyboard.module.css';

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

const NAMES: Readonly<Record<string, string>> = { Enter: 'Invio' };

/** Keys as they stand on the keyboard: one, two pressed together, or two one after the other. */
function Keys({ keys }: { keys: string }) {
  return keys.split(' ').map((step, index) => (
    <Fragment key={step}>
      {index > 0 ? ' poi ' : null}
      {step.split('+').map((key, position) => (
        <Fragment key={key}>
          {position > 0 ? ' + ' : null}
          <kbd className={styles.key}>{NAMES[key] ?? key}</kbd>
        </Fragment>
      ))}
    </Fragment>
  ));
}

/** What may follow the key just pressed, or why it did nothing. The region is there before its words are. */
export function KeyHint({ state }: { state: KeyboardState }) {
  const { waiting, notice } = state;
  return (
    <div className={styles.hint} role="status">
      {notice}
      {waiting ? (
        <Row nowrap align="start" gap={4}>
          <span className={styles.first}>
            <Keys keys={waiting.key} /> poi
          </span>
          <Row as="ul" gap={4}>
            {waiting.options.map(({ keys, label }) => (
              <li key={keys}>
                <Keys keys={keys.slice(waiting.key.length + 1)} /> {label}
              </li>
            ))}
          </Row>
        </Row>
      ) : null}
    </div>
  );
}
