import { useCallback, useMemo } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { type Filters, readFilters, writeFilters } from './filters';

export type ChangeFilters = (filters: Filters, options?: { replace: boolean }) => void;

/** The filters of the address bar, and how to change them: each change is a step that Back undoes, unless it replaces. */
export function useFilters(): [Filters, ChangeFilters] {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const filters = useMemo(() => readFilters(params), [params]);
  const change = useCallback<ChangeFilters>(
    (next, { replace } = { replace: false }) => navigate({ search: writeFilters(next) }, { replace }),
    [navigate],
  );
  return [filters, change];
}
