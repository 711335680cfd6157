/** Who has read a message to many, and what they answered. Whoever opens it has read the answers: they can no longer be changed. */
import { Link } from 'react-router-dom';
import { addressOf } from '../../shared/api/client';
import type { BatchAnswer, BatchAnswers, BulkMessage } from '../../shared/api/schema';
import { Stack } from '../../shared/ui/layout';
import { AnswerTable, Counts, CountsGrid } from '../callouts/answer-table';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import styles from './letter.module.css';

export function Replies({ message }: { message: BulkMessage }) {
  const path = { batch: message.batch };
  // Only what is looked at counts as read: it is not asked for again behind a page.
  const answers = useRead('/messages/bulk/{batch}/answers', { with: { path }, gcTime: 0 });
  return (
    <Loaded query={answers} loading="Caricamento…" failed="Risposte non caricate" part>
      {(found) => <Found message={message} found={found} />}
    </Loaded>
  );
}

function Found({
  message,
  found: { questions, data, counts },
}: {
  message: BulkMessage;
  found: BatchAnswers;
}) {
  const { edits } = useRights();
  const { batch, reports } = message;
  const of = new Map(data.map((one) => [one.report, one]));
  const received = data.filter(({ answered }) => answered).length;
  // Those who have said something first, then those who have read.
  const rows = reports.toSorted((one, other) => weight(other) - weight(one));
  const chosen = questions.filter(({ key }) => counts[key]);
  return (
    <Stack gap={4}>
      {chosen.length > 0 ? (
        <CountsGrid>
          {chosen.map((question) => (
            <Counts key={question.key} {...{ question, received }} of={counts[question.key] ?? []} />
          ))}
        </CountsGrid>
      ) : null}
      <AnswerTable>
        <thead>
          <tr>
            {['Chi', 'Ha letto', ...(questions.length > 0 ? [] : ['Ha risposto'])].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {questions.map(({ key, text }) => (
              <th key={key} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={styles.replies}>
          {rows.map(({ id, name, read, answered }) => (
            <tr key={id}>
              <th scope="row">
                <Link to={paths.report(id)}>{name.trim() || id}</Link>
              </th>
              <td>{yes(read)}</td>
              {questions.length > 0 ? null : <td>{yes(answered)}</td>}
              {questions.map(({ key }) => (
                <td key={key}>{said(of.get(id), key)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </AnswerTable>
      {edits && questions.length > 0 ? (
        <a href={addressOf('/reports/export.csv', { query: { batch } })} download="">
          Esporta CSV
        </a>
      ) : null}
    </Stack>
  );
}

const weight = ({ read, answered }: BulkMessage['reports'][number]) => Number(read) + Number(answered);

const yes = (is: boolean) => (is ? 'Sì' : 'No');

/** One who has answered none of them has not skipped this one. */
const said = (one: BatchAnswer | undefined, key: string) =>
  one?.answered ? (one.answers[key] ?? <i>Saltata</i>) : '—';
