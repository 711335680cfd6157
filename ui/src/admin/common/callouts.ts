import { useRead } from './use-read';

const LOOK_MS = 30_000;

/** For what names them beside something else. */
export const useKnownCallouts = () =>
  useRead('/callouts', { background: true, staleTime: LOOK_MS }).data?.data ?? [];
