/** The newsroom's labels as chips. Must never say by colour alone what a label is. */
import type { Label } from '../../../shared/api/schema';
import { useRead } from '../use-read';
import styles from './labels.module.css';

const STALE_MS = 10_000;

export const useLabels = (): readonly Label[] =>
  useRead('/labels', { background: true, staleTime: STALE_MS }).data?.data ?? [];

export function LabelChip({ label }: { label: Label }) {
  return (
    <span className={styles.chip} data-color={label.color}>
      {label.name}
    </span>
  );
}

/** The labels of a report, by their numbers. */
export function LabelChips({ ids }: { ids: readonly number[] }) {
  const labels = useLabels().filter(({ id }) => ids.includes(id));
  return labels.length > 0 ? (
    <span className={styles.chips}>
      <span className="visually-hidden"> Etichette: </span>
      {labels.map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
    </span>
  ) : null;
}
