import { keepPreviousData } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { addressOf } from '../../shared/api/client';
import type { Analytics, ChatStops, StateStops } from '../../shared/api/schema';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { messages } from '../../shared/messages';
import { Badge } from '../../shared/ui/badge';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { writeFilters } from '../common/list/filters';
import { List, Time } from '../common/list/list';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { QUESTIONS } from '../common/report-fields';
import { reporterName, SHORT_ID } from '../common/reporter-name';
import { type Stato, toneOf } from '../common/stato';
import { useRead } from '../common/use-read';
import styles from './analytics.module.css';
import { Bar } from './bar';
import { AsTable, Chart, Drawing, dayColumn } from './chart';
import {
  AGES,
  chartSentence,
  duration,
  longDay,
  refusal,
  scaleFor,
  share,
  sumOf,
  trend,
  workingDays,
} from './figures';
import { PeriodPicker, queryOf, usePeriod, wrongIn } from './period';

export function AnalyticsPage() {
  const [period, setPeriod] = usePeriod();
  const figures = useRead('/analytics', {
    with: { query: queryOf(period) },
    enabled: wrongIn(period) === undefined,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Analytics"
      subtitle="Come vanno le segnalazioni, calcolato sui dati di questo momento"
      actions={<PeriodPicker period={period} onPeriod={setPeriod} />}
    >
      <Loaded
        query={figures}
        loading="Calcolo delle statistiche…"
        failed="Non è stato possibile calcolare le statistiche"
      >
        {(analytics) => <Figures analytics={analytics} />}
      </Loaded>
    </Page>
  );
}

/** As the server calls what its table is of. */
type Figure = 'giorni' | 'reparti' | 'ore' | 'stati' | 'eta';

function Figures({ analytics }: { analytics: Analytics }) {
  const { from, to } = analytics.period;
  /** The numbers of a card as a file. */
  const sheet = (figure: Figure, name: string) => (
    <a
      href={addressOf('/analytics.csv', { query: { from, to, figure } })}
      download=""
      aria-label={`CSV, ${name}`}
    >
      CSV
    </a>
  );
  return (
    <div className={styles.grid}>
      <div className={styles.whole}>
        <Overview analytics={analytics} />
      </div>
      <div className={styles.whole}>
        <Card title="Segnalazioni al giorno" aside={sheet('giorni', 'segnalazioni al giorno')}>
          <Days of={analytics} />
        </Card>
      </div>
      <Stack gap={6}>
        <Card title="Ultime 48 ore" aside={sheet('ore', 'ultime 48 ore')}>
          <Hours of={analytics} />
        </Card>
        <Card title="Per stato" aside={sheet('stati', 'segnalazioni per stato')}>
          <Statuses of={analytics.byStatus} />
        </Card>
        <Card title="Tempi e risultati">
          <Times analytics={analytics} />
        </Card>
        <Card title="Attività Recente">
          <Recent reports={analytics.recent} />
        </Card>
      </Stack>
      <Stack gap={6}>
        <Card title="Segnalazioni per reparto" aside={sheet('reparti', 'segnalazioni per reparto')}>
          <Departments of={analytics} />
        </Card>
        <Card title="Aperte, per età" aside={sheet('eta', 'aperte, per età')}>
          <Ages of={analytics.openByAge} />
        </Card>
        {analytics.chatStops && (
          <Card title="Dove si fermano le conversazioni">
            <StopsCard stops={analytics.chatStops} />
          </Card>
        )}
      </Stack>
    </div>
  );
}

function Days({ of: { perDay, period } }: { of: Pick<Analytics, 'perDay' | 'period'> }) {
  const columns = perDay.map(({ date, count }) => dayColumn(date, count));
  const when = `dal ${longDay(period.from)} al ${longDay(period.to)}`;
  return (
    <Chart
      columns={columns}
      sentence={chartSentence(`Segnalazioni ricevute al giorno ${when}`, columns)}
      head="Giorno"
      caption="Segnalazioni ricevute al giorno, dal più recente"
    />
  );
}

function Hours({ of: { perHour, hoursFrom } }: { of: Pick<Analytics, 'perHour' | 'hoursFrom'> }) {
  const columns = perHour.map((count, place) => {
    const at = new Date(Date.parse(hoursFrom) + place * HOUR_MS).toISOString();
    const [day = '', hour = ''] = formatDateTime(at).split(' ');
    return { key: at, name: `${day} ${hour}`, short: `${day.slice(0, 5)} ${hour}`, count };
  });
  return (
    <Chart
      columns={columns}
      sentence={chartSentence('Segnalazioni ricevute ogni ora nelle ultime 48', columns)}
      head="Ora"
      caption="Segnalazioni ricevute ogni ora, dalla più recente"
    />
  );
}

/** Each department with its days on one scale, so that they can be compared. */
function Departments({ of }: { of: Pick<Analytics, 'byDepartment' | 'perDay'> }) {
  const desks = of.byDepartment.map(({ department, name, perDay }) => {
    const columns = of.perDay.map(({ date }, day) => dayColumn(date, perDay[day] ?? 0));
    return { department, name, columns, total: sumOf(columns) };
  });
  const top = scaleFor(Math.max(0, ...desks.flatMap(({ columns }) => columns.map(({ count }) => count))));
  return (
    <Stack gap={4}>
      <Stack as="ol" gap={4}>
        {desks.map(({ department, name, columns, total }) => (
          <li key={department} className={styles.bar}>
            <Link
              className={styles.name ?? ''}
              // One long word must not push the page wide.
              style={{ overflowWrap: 'anywhere' }}
              to={paths.reports + writeFilters({ department, archived: true })}
            >
              {/* On a narrow screen `Sanità/Ospedali` is no single word. */}
              {name.split('/').flatMap((part, at) => (at > 0 ? ['/', <wbr key={part} />, part] : part))}
            </Link>
            <strong>{formatNumber(total)}</strong>
            <Drawing columns={columns} top={top} />
          </li>
        ))}
      </Stack>
      <AsTable
        caption="Segnalazioni ricevute al giorno per reparto, dal giorno più recente"
        head={['Giorno', 'Segnalazioni']}
      >
        {of.perDay.toReversed().map(({ date }, back) => (
          <tr key={date}>
            <th scope="row">{longDay(date)}</th>
            <td>
              {desks
                .map(({ name, columns }) => ({ name, count: columns.at(-1 - back)?.count ?? 0 }))
                .filter(({ count }) => count > 0)
                .map(({ name, count }) => `${name} ${formatNumber(count)}`)
                .join(', ') || '0'}
            </td>
          </tr>
        ))}
      </AsTable>
    </Stack>
  );
}

function Ages({ of }: { of: Analytics['openByAge'] }) {
  const all = Math.max(
    1,
    of.reduce((sum, count) => sum + count, 0),
  );
  return (
    <Stack as="ol" gap={4}>
      {of.map((count, place) => (
        <Bar
          key={AGES[place]}
          name={AGES[place]}
          figure={<strong>{formatNumber(count)}</strong>}
          parts={[{ percent: (count / all) * 100, tone: place < 4 ? 'blue' : 'yellow' }]}
        />
      ))}
    </Stack>
  );
}

function Statuses({ of }: { of: Analytics['byStatus'] }) {
  return (
    <Stack as="ol" gap={4}>
      {of.map(({ stato, count, percent }) => (
        <Bar
          key={stato}
          name={<Link to={paths.reports + writeFilters({ stato })}>{stato}</Link>}
          figure={
            <>
              <strong>{formatNumber(count)}</strong>{' '}
              <Text as="span" tone="muted" small>
                ({share(percent)})
              </Text>
            </>
          }
          parts={[{ percent: percent ?? 0, tone: toneOf(stato) }]}
        />
      ))}
    </Stack>
  );
}

function Times({ analytics }: { analytics: Analytics }) {
  const { resolutionTime, resolutionRate, firstLook, firstLookUrgent, total } = analytics;
  const { codes, codesUsed, returnRate, answersWaiting, answersSince } = analytics;
  const { asked, read, answered } = analytics.askedBack;
  const unknown = resolutionTime.reports === 0 && resolutionRate.resolved > 0;
  return (
    <Stack as="dl" gap={4} className={styles.times}>
      <Measured
        name="Tempo Medio di Risoluzione"
        value={workingDays(resolutionTime.mean)}
        basis={
          unknown
            ? 'Manca il momento in cui sono state risolte'
            : basis(resolutionTime.reports, 'risolta', 'risolte')
        }
      />
      <Measured
        name="Tasso di Risoluzione"
        value={share(resolutionRate.percent)}
        basis={
          total === 0
            ? 'Nessuna segnalazione finora'
            : `${formatNumber(resolutionRate.resolved)} su ${formatNumber(total)}, comprese quelle poi archiviate`
        }
      />
      <Measured
        name="Tempo alla prima apertura"
        value={duration(firstLook.mean)}
        basis={basis(firstLook.reports, 'aperta', 'aperte', 'nel periodo')}
      />
      <Measured
        name="Tempo alla prima apertura, urgenti"
        value={duration(firstLookUrgent.mean)}
        basis={basis(firstLookUrgent.reports, 'urgente aperta', 'urgenti aperte', 'nel periodo')}
      />
      <Measured
        name="Risposte da leggere"
        value={formatNumber(answersWaiting)}
        basis={answersSince ? `La prima aspetta dal ${formatDateTime(answersSince)}` : 'Nessuna aspetta'}
      />
      <Measured
        name="Chi risponde alle domande"
        value={share(asked === 0 ? null : (answered / asked) * 100)}
        basis={
          asked === 0
            ? 'Nessuna domanda nel periodo'
            : `${formatNumber(answered)} risposte a ${formatNumber(asked)} richieste del periodo, ${formatNumber(read)} lette`
        }
      />
      <Kept name="Promesse mantenute: lette in tempo" of={analytics.promisesFirst} />
      <Kept name="Promesse mantenute: esito in tempo" of={analytics.promisesOutcome} />
      <Measured
        name="Chi torna"
        value={share(returnRate)}
        basis={
          codes === 0
            ? 'Nessun codice ha ancora 14 giorni'
            : `${formatNumber(codesUsed)} codici usati su ${formatNumber(codes)}, entro 14 giorni dall’arrivo`
        }
      />
    </Stack>
  );
}

function basis(reports: number, one: string, many: string, when = 'finora'): string {
  if (reports === 0) {
    return `Nessuna segnalazione ${one} ${when}`;
  }
  return reports === 1
    ? `Basato sull’unica segnalazione ${one}`
    : `Basato sulle ultime ${formatNumber(reports)} segnalazioni ${many}`;
}

/** Promises to reporters of the period. */
function Kept({ name, of: { kept, missed } }: { name: string; of: Analytics['promisesFirst'] }) {
  const all = kept + missed;
  return (
    <Measured
      name={name}
      value={share(all === 0 ? null : (kept / all) * 100)}
      basis={
        all === 0
          ? 'Nessuna è ancora arrivata al suo giorno'
          : `${formatNumber(kept)} su ${formatNumber(all)}`
      }
    />
  );
}

function Measured({ name, value, basis: text }: { name: string; value: string; basis: string }) {
  return (
    <div>
      <Text as="dt" tone="muted" small strong>
        {name}
      </Text>
      <dd className={styles.value}>{value}</dd>
      <Text as="dd" tone="muted" small>
        {text}
      </Text>
    </div>
  );
}

function Recent({ reports }: { reports: Analytics['recent'] }) {
  return (
    <List
      of={reports}
      label="Attività Recente"
      empty={`${messages.reports.none}. Quando qualcuno conclude la chat, la segnalazione compare qui.`}
    >
      {(report) => (
        <Row as="li" key={report.id} justify="between" nowrap>
          <div>
            <Link to={paths.report(report.id)}>{reporterName(report)}</Link>
            <Text tone="muted" small digits>
              <span title={report.id}>#{report.id.slice(0, SHORT_ID)}</span> ·{' '}
              <Time at={report.data_creazione} />
            </Text>
          </div>
          <Badge tone={toneOf(report.stato)}>{report.stato}</Badge>
        </Row>
      )}
    </List>
  );
}

const HOUR_MS = 3_600_000;
/** Pause between two readings in milliseconds: the server's counts of conversations are up to a minute behind anyway. */
const REFRESH_MS = 30_000;

const STATES: readonly { name: string; stato: Stato; note: string }[] = [
  { name: 'Nuove', stato: 'Nuova', note: 'Richiedono attenzione' },
  { name: 'In Lavorazione', stato: 'In lavorazione', note: 'In corso di gestione' },
  { name: 'Risolte', stato: 'Risolta', note: 'Completate con successo' },
];

const waitsSince = (since: string | null) => (since ? `la prima dal ${formatDate(since)}` : 'nessuna');

function Overview({ analytics }: { analytics: Analytics }) {
  const { total, byStatus, monthChange, received, answersWaiting, answersSince } = analytics;
  const counted = STATES.map((one) => ({
    ...one,
    count: byStatus.find(({ stato }) => stato === one.stato)?.count ?? 0,
  }));
  return (
    <Stack gap={4}>
      <ul className={styles.cards} aria-label="Riepilogo">
        {[
          { name: 'Totale Segnalazioni', stato: null, note: trend(monthChange), count: total },
          ...counted,
        ].map(({ name, stato, note, count }) => (
          <li key={name}>
            <Link
              className={styles.card ?? ''}
              data-tone={stato ? toneOf(stato) : undefined}
              to={paths.reports + writeFilters(stato ? { stato } : { archived: true })}
            >
              <Text as="span" tone="muted" small strong className={styles.counted}>
                {name}
              </Text>
              <span className={styles.figure}>{formatNumber(count)}</span>
              <Text as="span" tone="muted" small>
                {note}
              </Text>
            </Link>
          </li>
        ))}
      </ul>
      <Card>
        <Facts label="Segnalazioni ricevute" layout="narrow" large>
          <Fact name={<When name="Oggi">da mezzanotte</When>}>{formatNumber(received.today)}</Fact>
          <Fact name={<When name="Questa settimana">ultimi 7 giorni</When>}>
            {formatNumber(received.week)}
          </Fact>
          <Fact name={<When name="Questo mese">ultimi 30 giorni</When>}>{formatNumber(received.month)}</Fact>
          <Fact name={<When name="Aspettano risposta">{waitsSince(answersSince)}</When>}>
            {formatNumber(answersWaiting)}
          </Fact>
        </Facts>
      </Card>
    </Stack>
  );
}

function When({ name, children }: { name: string; children: string }) {
  return (
    <>
      {name} <small>({children})</small>
    </>
  );
}

function StopsCard({ stops }: { stops: ChatStops }) {
  const { since, started, completed, unfinished, minors, states } = stops;
  return (
    <Stack gap={4}>
      <Facts layout="narrow" large>
        <Fact name="Iniziate">{formatNumber(started)}</Fact>
        <Fact name="Concluse">{formatNumber(completed)}</Fact>
        <Fact name="Lasciate a metà">{formatNumber(unfinished)}</Fact>
        <Fact name="Di minorenni">{formatNumber(minors)}</Fact>
      </Facts>
      <Text tone="muted" small>
        Dal {longDay(since)}. Si contano le conversazioni, non chi le ha: quelle ancora in corso risultano
        lasciate a metà.
      </Text>
      {started === 0 ? (
        <Text tone="muted" small>
          Nessuna conversazione iniziata in questi giorni.
        </Text>
      ) : (
        <Stack as="ol" gap={4}>
          {states.map((state) => (
            <Question key={state.state} stops={state} started={started} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

function Question({ stops, started }: { stops: StateStops; started: number }) {
  const { state, reached, answered, unfinished, refusals } = stops;
  const percent = (count: number) => (count / started) * 100;
  return (
    <Bar
      name={QUESTIONS[state]?.label ?? state}
      figure={
        <>
          {formatNumber(answered)} su {formatNumber(reached)}
          <span className="visually-hidden"> hanno risposto</span>
          {unfinished > 0 ? (
            <strong>
              , {formatNumber(unfinished)} {unfinished === 1 ? 'si ferma qui' : 'si fermano qui'}
            </strong>
          ) : null}
        </>
      }
      // The part of the first bar beyond the second stands for the people who stopped here.
      parts={[
        { percent: percent(reached), tone: 'yellow' },
        { percent: percent(answered), tone: 'blue' },
      ]}
    >
      {refusals.length > 0 ? (
        <Text as="span" tone="muted" small className={styles.below}>
          Risposte rifiutate: {refusals.map(({ rule, count }) => refusal(rule, count)).join(', ')}
        </Text>
      ) : null}
    </Bar>
  );
}
