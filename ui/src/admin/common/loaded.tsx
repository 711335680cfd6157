import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from './error-card';
import { Loading } from './loading';

interface LoadedProps<T> {
  of: Pick<UseQueryResult<T>, 'data' | 'error' | 'isError' | 'refetch'>;
  /** Title of the message when it could not be read. */
  failed: string;
  /** What is being waited for, for those who do not see the placeholder. */
  loading: string;
  /** Placeholder of the size of what is to come; so many lines when absent. */
  placeholder?: ReactNode;
  lines?: number;
  children: (data: T) => ReactNode;
}

/** What was read, or why not and a way to try again, or a placeholder. What is there stays while it is read again. */
export function Loaded<T>({ of, failed, loading, placeholder, lines = 4, children }: LoadedProps<T>) {
  if (of.data !== undefined) {
    return children(of.data);
  }
  return of.isError ? (
    <ErrorCard title={failed} error={of.error} onRetry={() => void of.refetch()} />
  ) : (
    <Loading label={loading}>{placeholder ?? <Skeleton lines={lines} tall />}</Loading>
  );
}
