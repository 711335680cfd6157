import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '../../shared/ui/button';
import { Fact, Facts } from '../../shared/ui/facts';
import { Stack, Text } from '../../shared/ui/layout';
import styles from './conflict-panel.module.css';

interface Differing {
  name: string;
  saved: ReactNode;
  mine: ReactNode;
}

interface ConflictPanelProps {
  title: string;
  /** When it was, where that is known. */
  told?: string;
  rows: readonly Differing[];
  busy?: boolean;
  /** Keeps what both wrote; only where that can stand together. */
  onBoth?: () => void;
  onKeep: () => void;
  onTake: () => void;
}

/** A save was refused because another person saved first: both versions side by side, and the choice between them. */
export function ConflictPanel(props: ConflictPanelProps) {
  const { title, told = '', rows, busy = false, onBoth, onKeep, onTake } = props;
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  // The save was the editor's own gesture, so the focus may follow its result.
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    ref.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Stack
      as="section"
      gap={4}
      boxed
      className={styles.conflict}
      ref={ref}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
    >
      <div role="alert">
        <h3 id={`${id}-title`}>{title}</h3>
        <p>{told} Nulla di ciò che hai scritto è andato perso: scegli come continuare.</p>
      </div>
      <Stack className={styles.versions}>
        <Version title="Versione salvata" rows={rows} of="saved" />
        <Version title="Le tue modifiche" rows={rows} of="mine" />
      </Stack>
      <Stack gap={2}>
        {onBoth ? (
          <Button variant="primary" inactive={busy} onClick={onBoth}>
            Tieni entrambe
          </Button>
        ) : null}
        <Button inactive={busy} onClick={onKeep}>
          Mantieni le mie modifiche
        </Button>
        <Button inactive={busy} onClick={onTake}>
          Usa la versione salvata
        </Button>
      </Stack>
    </Stack>
  );
}

function Version({ title, rows, of }: { title: string; rows: readonly Differing[]; of: 'saved' | 'mine' }) {
  return (
    <Stack boxed gap={1}>
      <h4>{title}</h4>
      <Facts>
        {rows.map((row) => (
          <Fact key={row.name} name={row.name} wide>
            <Text as="div" kept className={styles.differing}>
              {row[of]}
            </Text>
          </Fact>
        ))}
      </Facts>
    </Stack>
  );
}
