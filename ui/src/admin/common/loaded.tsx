import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card } from '../../shared/ui/card';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from './error-card';

interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'isError' | 'error'> & { refetch: () => unknown };
  loading: string;
  failed: string;
  /** A placeholder of the size of the content; a card of grey bars if absent. */
  placeholder?: ReactNode;
  /** A part of a page that already says when it may be old. */
  part?: boolean;
  /** Grey bars of that card. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ query, loading, failed, part, lines = 6, ...props }: LoadedProps<Data>) {
  if (query.data !== undefined) {
    return (
      <>
        {/* The content on screen may be out of date: a message says so until the next answer. */}
        {query.isError && !part ? (
          <div role="status">
            <Message kind="warning">
              <p>Aggiornamento automatico interrotto: il server non risponde. Nuovo tentativo in corso…</p>
            </Message>
          </div>
        ) : null}
        {props.children(query.data)}
      </>
    );
  }
  if (query.isError) {
    return <ErrorCard title={failed} error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <div aria-busy="true">
      <p className="visually-hidden" role="status">
        {loading}
      </p>
      {props.placeholder ?? (
        <Card>
          <Skeleton lines={lines} tall />
        </Card>
      )}
    </div>
  );
}
