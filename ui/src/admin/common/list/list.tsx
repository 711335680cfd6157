import type { ReactNode } from 'react';
import { formatDateTime } from '../../../shared/lib/dates';
import { Stack, Text } from '../../../shared/ui/layout';

interface ListProps<T> {
  of: readonly T[];
  label: string;
  empty: ReactNode;
  children: (one: T, place: number) => ReactNode;
}

export function List<T>({ of, label, empty, children }: ListProps<T>) {
  return of.length === 0 ? (
    <Text tone="muted">{empty}</Text>
  ) : (
    <Stack as="ul" lined aria-label={label}>
      {of.map(children)}
    </Stack>
  );
}

export const Time = ({ at }: { at: string }) => <time dateTime={at}>{formatDateTime(at)}</time>;
