/** The newsroom's labels. Must never say by colour alone what a label is. */
import { call } from '../../../shared/api/client';
import type { Label } from '../../../shared/api/schema';
import { Badge } from '../../../shared/ui/badge';
import { Row } from '../../../shared/ui/layout';
import { useRead, useRefresh } from '../use-read';

const STALE_MS = 10_000;

/** Each is seen on light and on dark ground. */
export const COLORS: Readonly<Record<Label['color'], string>> = {
  grigio: '#71767f',
  rosso: '#d92d20',
  arancio: '#cc5a12',
  giallo: '#a67c00',
  verde: '#1f8a4c',
  azzurro: '#0e87a8',
  blu: '#3f6fe0',
  viola: '#8258df',
};

export const useLabels = (): readonly Label[] =>
  useRead('/labels', { background: true, staleTime: STALE_MS }).data?.data ?? [];

export function useLabelChanges() {
  const refresh = useRefresh();
  return {
    save: async (id: number | null, body: Pick<Label, 'name' | 'color'>): Promise<number | null> => {
      const made = id === null ? await call('post', '/labels', { body }) : null;
      if (id !== null) {
        await call('patch', '/labels/{id}', { path: { id }, body });
      }
      await refresh('/labels');
      return made?.id ?? null;
    },
    remove: async (id: number) => {
      await call('delete', '/labels/{id}', { path: { id } });
      await refresh();
    },
  };
}

export const LabelChip = ({ label: { name, color } }: { label: Label }) => (
  <Badge dot={COLORS[color]}>{name}</Badge>
);

export function LabelChips({ ids }: { ids: readonly number[] }) {
  const labels = useLabels().filter(({ id }) => ids.includes(id));
  return labels.length > 0 ? (
    <Row as="span" gap={1}>
      <span className="visually-hidden"> Etichette: </span>
      {labels.map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
    </Row>
  ) : null;
}
