import { useInfiniteQuery } from '@tanstack/react-query';
import { Megaphone } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import { addressOf, call } from '../../shared/api/client';
import type { CalloutDetail, CalloutQuestion, CalloutReports } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { Chart, dayColumn } from '../analytics/chart';
import { chartSentence } from '../analytics/figures';
import { useAction } from '../common/action';
import { writeFilters } from '../common/list/filters';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { AnswerTable, Counts, CountsGrid } from './answer-table';
import { mayEdit } from './draft';
import { Frame, OfCallout, Turn } from './frame';
import { type Order, shownRows } from './rows';

/** Reports of a reading. */
const PAGE = 200;

export function AnswersPage() {
  return <OfCallout>{(callout) => <Read callout={callout} />}</OfCallout>;
}

function Read({ callout }: { callout: CalloutDetail }) {
  const action = useAction();
  const edits = mayEdit(useRights(), callout);
  const acts = edits && callout.state !== 'bozza' ? <Turn {...{ callout, action }} /> : null;
  return (
    <Frame callout={callout} action={action} acts={acts}>
      <Answers callout={callout} />
    </Frame>
  );
}

function Answers({ callout }: { callout: CalloutDetail }) {
  const { id, days, received } = callout;
  const { refetch, ...answers } = useInfiniteQuery({
    queryKey: ['/callouts/{id}/answers', id],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam && { cursor: pageParam }) };
      return call('get', '/callouts/{id}/answers', { path: { id }, query, background: true, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  // To read them all costs the server more than to count them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each report that comes or goes
  useEffect(() => void refetch({ cancelRefetch: false }), [received]);
  const [search, setSearch] = useState('');
  const columns = days.map(({ day, received: count }) => dayColumn(day, count));
  const file = addressOf('/reports/export.csv', { query: { callout: id } });
  const { edits } = useRights();
  const csv = edits ? (
    <a href={file} download="">
      Esporta CSV
    </a>
  ) : null;
  return (
    <Loaded
      query={{ ...answers, refetch }}
      loading="Caricamento…"
      failed="Non è stato possibile caricare le risposte"
    >
      {({ pages }) =>
        pages[0]?.data.length === 0 ? (
          <Card>
            <EmptyState icon={<Megaphone />} title="Ancora nessuna risposta">
              Compaiono qui man mano che arrivano: una riga ogni segnalazione, una colonna ogni domanda.
            </EmptyState>
          </Card>
        ) : (
          <>
            <CountsGrid>
              {pages[0]?.questions.map((question) => (
                <Counts
                  key={question.key}
                  question={question}
                  of={pages[0]?.counts[question.key] ?? []}
                  received={received}
                />
              ))}
              <Card title="Ricevute al giorno">
                <Chart
                  columns={columns}
                  sentence={chartSentence('Risposte ricevute al giorno', columns)}
                  head="Giorno"
                  caption="Risposte ricevute al giorno, dal più recente"
                />
              </Card>
            </CountsGrid>
            <Card title="Risposte" aside={csv}>
              <Stack>
                <TextField label="Filtra" type="search" value={search} onValue={setSearch} />
                <Table
                  callout={id}
                  questions={pages[0]?.questions ?? []}
                  rows={pages.flatMap(({ data }) => data)}
                  search={search}
                />
                {answers.hasNextPage ? (
                  <Row>
                    <Button inactive={answers.isFetching} onClick={() => void answers.fetchNextPage()}>
                      Carica le precedenti
                    </Button>
                    <p>Filtro e ordine valgono per quelle caricate.</p>
                  </Row>
                ) : null}
              </Stack>
            </Card>
          </>
        )
      }
    </Loaded>
  );
}

interface TableProps {
  callout: string;
  questions: CalloutReports['questions'];
  rows: CalloutReports['data'];
  search: string;
}

function Table({ callout, questions, rows, search }: TableProps) {
  const [order, setOrder] = useState<Order>({ by: null, down: true });
  const shown = shownRows(rows, useDeferredValue(search), order);
  const head = (by: CalloutQuestion | null, label: string) => {
    const on = order.by?.key === by?.key;
    return (
      <th key={by?.key} scope="col" aria-sort={on ? (order.down ? 'descending' : 'ascending') : undefined}>
        <button type="button" onClick={() => setOrder({ by, down: on ? !order.down : by === null })}>
          {label}
        </button>
      </th>
    );
  };
  return (
    <>
      <Text small digits role="status">
        {counted(shown.length, 'risposta', 'risposte')}
      </Text>
      <AnswerTable>
        <thead>
          <tr>
            {head(null, 'Arrivata')}
            {questions.map((question) => head(question, question.text))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ id, data_creazione, answers }) => (
            <tr key={id}>
              <th scope="row">
                <Link to={paths.report(id)} state={{ list: writeFilters({ callout }) }}>
                  <time dateTime={data_creazione}>{formatDateTime(data_creazione)}</time>
                </Link>
              </th>
              {questions.map(({ key }) => (
                <td key={key}>{answers[key]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </AnswerTable>
    </>
  );
}
