import { Fragment } from 'react';
import { Button } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { Dialog } from '../../shared/ui/dialog';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { EVERYWHERE, type Shortcut } from '../common/keys/shortcut';
import styles from './keyboard.module.css';

interface ShortcutSheetProps {
  /** Those of the screen one is on; null while the sheet is closed. */
  shortcuts: readonly Shortcut[] | null;
  enabled: boolean;
  onEnable: (enabled: boolean) => void;
  onClose: () => void;
}

/** Those of the screen one is on first. */
export const byPage = (shortcuts: readonly Shortcut[]): Shortcut[] =>
  shortcuts.toSorted(
    ({ group: one }, { group: other }) => Number(one === EVERYWHERE) - Number(other === EVERYWHERE),
  );

/** The keys of the screen one is on, and the switch for those who do not want them (WCAG 2.1.4). */
export function ShortcutSheet({ shortcuts, enabled, onEnable, onClose }: ShortcutSheetProps) {
  const groups = [...new Set(byPage(shortcuts ?? []).map(({ group }) => group))];
  return (
    <Dialog
      open={shortcuts !== null}
      title="Scorciatoie da tastiera"
      onCancel={onClose}
      actions={<Button onClick={onClose}>Chiudi</Button>}
    >
      <Checkbox checked={enabled} onChange={onEnable}>
        Usa le scorciatoie
        <br />
        <Text as="small" tone="muted" small>
          Quelle con Ctrl restano attive. La scelta vale per questo browser.
        </Text>
      </Checkbox>
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <Text as="h3" tone="muted" small strong className={styles.group}>
            {group}
          </Text>
          <Stack as="dl" gap={1}>
            {shortcuts
              ?.filter((shortcut) => shortcut.group === group)
              .map(({ keys, label }) => (
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

const NAMES: Readonly<Record<string, string>> = {
  Enter: 'Invio',
  Shift: 'Maiusc',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

export function Keys({ keys }: { keys: string }) {
  return keys.split(/([ +])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={index}>
      {part === ' ' ? (
        ' poi '
      ) : part === '+' ? (
        ' + '
      ) : (
        <kbd className={styles.key}>{NAMES[part] ?? part}</kbd>
      )}
    </Fragment>
  ));
}

export interface Hint {
  notice?: string;
  first?: string;
  options?: readonly Shortcut[];
}

/** The keys that may follow the one just pressed, or a message. The live region exists before its words. */
export function KeyHint({ hint }: { hint: Hint | null }) {
  return (
    <div className={styles.hint} role="status">
      {hint?.notice}
      {hint?.first ? (
        <Row nowrap align="start" gap={4}>
          <span className={styles.first}>
            <Keys keys={hint.first} /> poi
          </span>
          <Row as="ul" gap={4}>
            {hint.options?.map(({ keys, label }) => (
              <li key={keys}>
                <Keys keys={keys.split(' ').at(-1) ?? ''} /> {label}
              </li>
            ))}
          </Row>
        </Row>
      ) : null}
    </div>
  );
}
