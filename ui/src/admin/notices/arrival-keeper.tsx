import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { paths } from '../common/paths';
import { setUnseen } from '../common/unseen';
import { useRead } from '../common/use-read';
import { notify } from './desktop';

const LOOK_MS = 10_000;

/** Counts what arrives while the list is not in sight: in the window's title and as a notice of the desktop. */
export function ArrivalKeeper() {
  const { data: desk } = useRead('/settings/desk', {
    background: true,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return desk?.enableNotifications ? <Watch /> : null;
}

function Watch() {
  const visible = useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
  const atList = useLocation().pathname === paths.reports && visible;
  const navigate = useNavigate();
  const counted = useRef({ seen: Number.NaN, told: 0 });
  const { data } = useRead('/reports', {
    with: { query: { limit: 1 } },
    background: true,
    refetchInterval: LOOK_MS,
    refetchIntervalInBackground: true,
  });
  const total = data?.counters.total;

  useEffect(() => {
    const now = counted.current;
    if (total === undefined) {
      return;
    }
    // The first look, a look at the list, and an archive that has shrunk begin the count anew.
    if (atList || !(now.seen <= total)) {
      counted.current = { seen: total, told: total };
      setUnseen(0);
      return;
    }
    setUnseen(total - now.seen);
    if (total > now.told) {
      notify(total - now.told, () => navigate(paths.todo));
      now.told = total;
    }
  }, [total, atList, navigate]);

  useEffect(() => () => setUnseen(0), []);
  return null;
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
