import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { paths } from '../common/paths';
import { notify } from './desktop';
import { setUnseen } from './unseen';
import { useVisible } from './use-visible';

/** Pause between two looks in milliseconds; the list itself looks more often. */
const LOOK_MS = 10_000;

/**
 * Counts what arrives while nobody looks at the list, on whatever screen and also while the window is hidden: in the
 * window's title and, where the browser may, as a notice of the desktop.
 */
export function ArrivalKeeper() {
  const { data: security } = useQuery({
    queryKey: ['/settings/security'],
    queryFn: ({ signal }) => call('get', '/settings/security', { background: true, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return security?.enableNotifications ? <Watch /> : null;
}

function Watch() {
  const atList = useAtList();
  const navigate = useNavigate();
  const counted = useRef({ seen: Number.NaN, told: 0 });
  const { data: total } = useQuery({
    queryKey: ['arrivals'],
    queryFn: async ({ signal }) => {
      const list = await call('get', '/reports', { query: { limit: 1 }, background: true, signal });
      return list.counters.total;
    },
    refetchInterval: LOOK_MS,
    refetchIntervalInBackground: true,
  });

  useEffect(() => {
    const now = counted.current;
    if (total === undefined) {
      return;
    }
    // The first look, whoever looks at the list, and an archive that has shrunk begin the count anew.
    if (atList || !(now.seen <= total)) {
      counted.current = { seen: total, told: total };
      setUnseen(0);
      return;
    }
    setUnseen(total - now.seen);
    if (total > now.told) {
      notify(total - now.told, () => navigate(paths.reports));
      now.told = total;
    }
  }, [total, atList, navigate]);

  useEffect(() => () => setUnseen(0), []);
  return null;
}

/** Whether somebody may be looking at the list. */
function useAtList(): boolean {
  const { pathname } = useLocation();
  const visible = useVisible();
  return visible && pathname === paths.reports;
}
