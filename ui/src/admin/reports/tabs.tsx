/** Where the list is entered: its tabs with their numbers, and the counters over the whole archive. */
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { ReportList } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { type Filters, type Tab, tabOf, writeFilters } from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { paths } from '../common/paths';

interface ListLinkProps {
  to: Filters;
  /** The report that stands beside the list, and stays. */
  open: string | undefined;
  current: boolean;
  className?: string | undefined;
  alarm?: boolean;
  children: ReactNode;
}

function ListLink({ to, open, current, className, alarm, children }: ListLinkProps) {
  const list = writeFilters(to);
  const leads =
    open === undefined ? { to: paths.reports + list } : { to: paths.report(open), state: { list } };
  return (
    <Link
      {...leads}
      className={className ?? ''}
      data-alarm={alarm || undefined}
      aria-current={current ? 'true' : undefined}
    >
      {children}
    </Link>
  );
}

interface EntranceProps {
  list: ReportList | undefined;
  filters: Filters;
  open: string | undefined;
}

/** So many are counted of a mark. */
const COUNTED_TO = 999;

export function Tabs({ list, filters, open }: EntranceProps) {
  const { counters, counts, answersWaiting } = list ?? {};
  const unarchived = counters && counters.new + counters.inProgress + counters.resolved;
  const tabs: readonly { tab?: Tab; label: string; n: number | undefined }[] = [
    { tab: 'todo', label: 'Da fare', n: counts?.todo },
    { tab: 'urgente', label: 'Urgenti', n: counts?.urgent },
    { tab: 'answer', label: 'Risposte', n: answersWaiting },
    { label: 'Tutte', n: unarchived },
  ];
  return (
    <nav className={styles.tabs} aria-label="Elenchi" data-line="">
      {tabs.map(({ tab, label, n }) => (
        <ListLink
          key={label}
          className={styles.chip}
          to={tab ? { [tab]: true } : {}}
          open={open}
          current={tabOf(filters) === tab}
          alarm={tab === 'urgente'}
        >
          {label}
          {n ? (
            <>
              {' '}
              <b>{tab && n > COUNTED_TO ? `${COUNTED_TO}+` : formatNumber(n)}</b>
            </>
          ) : null}
        </ListLink>
      ))}
    </nav>
  );
}

const COUNTERS = [
  { figure: 'total', one: 'in tutto', many: 'in tutto', to: { archived: true } },
  { figure: 'new', one: 'nuova', many: 'nuove', to: { stato: 'Nuova' } },
  { figure: 'inProgress', one: 'in lavorazione', many: 'in lavorazione', to: { stato: 'In lavorazione' } },
  { figure: 'resolved', one: 'risolta', many: 'risolte', to: { stato: 'Risolta' } },
] as const;

export function Counters({ list, filters, open }: EntranceProps) {
  const here = writeFilters(filters);
  const counted = COUNTERS.map(({ figure, one, many, to }) => ({
    to,
    n: list ? formatNumber(list.counters[figure]) : '—',
    what: list?.counters[figure] === 1 ? one : many,
  }));
  return (
    <nav
      className={styles.counters}
      aria-label="Riepilogo delle segnalazioni"
      title={counted.map(({ n, what }) => `${n} ${what}`).join(' · ')}
    >
      {counted.map(({ to, n, what }, at) => (
        <Fragment key={what}>
          {at === 0 ? null : ' · '}
          <ListLink to={to} open={open} current={writeFilters(to) === here}>
            <b>{n}</b> {what}
          </ListLink>
        </Fragment>
      ))}
    </nav>
  );
}
