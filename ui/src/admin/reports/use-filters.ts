import { useCallback, useMemo } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { type Filters, readFilters, writeFilters } from './filters';

/** The filters of the address bar, and how to change them: each change is a step that Back undoes. */
export function useFilters(): [Filters, (filters: Filters) => void] {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const filters = useMemo(() => readFilters(params), [params]);
  const change = useCallback((next: Filters) => navigate({ search: writeFilters(next) }), [navigate]);
  return [filters, change];
}
