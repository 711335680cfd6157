import { Link } from 'react-router-dom';
import { Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { dayText } from '../common/day';
import { paths, type Trail } from '../common/paths';
import { useRead } from '../common/use-read';

const LOOK_MS = 60_000;

export function DueReminders({ trail }: { trail: Trail }) {
  const { data } = useRead('/reminders', { background: true, refetchInterval: LOOK_MS });
  const due = data?.data.filter((reminder) => reminder.due) ?? [];
  return due.length > 0 ? (
    <Message kind="warning" title={due.length === 1 ? 'Un promemoria' : `${due.length} promemoria`}>
      <Stack as="ul" gap={1} aria-label="Promemoria">
        {due.map(({ report, day, text }) => (
          <li key={report.id}>
            <Link to={paths.report(report.id)} state={trail}>
              {report.nome} {report.cognome}
            </Link>
            {text ? `: ${text}` : null} ({dayText(day)})
          </li>
        ))}
      </Stack>
    </Message>
  ) : null;
}
