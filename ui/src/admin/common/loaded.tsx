import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card } from '../../shared/ui/card';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from './error-card';
import { Loading } from './loading';
import { StaleNotice } from './stale-notice';

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** Said while there is nothing yet: `Caricamento delle segnalazioni…`. */
  loading: string;
  /** Title of the error when it could not be had. */
  failed: string;
  /** Of the size of what is to come; without it, a card of grey bars. */
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What a query has brought: a placeholder, an error with a way to try again, or the data, which says when it is old. */
export function Loaded<Data>({ query, loading, failed, placeholder, children }: LoadedProps<Data>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError ? <StaleNotice /> : null}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) {
    return <ErrorCard title={failed} error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Loading label={loading}>
      {placeholder ?? (
        <Card>
          <Skeleton lines={6} tall />
        </Card>
      )}
    </Loading>
  );
}
