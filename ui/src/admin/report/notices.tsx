/** Notices to read first, beside urgency: a request to withdraw, an end, a day to come. In one line that unfolds. */
import { ChevronDown, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { useRights } from '../common/session/session-context';
import { isSnoozed } from '../common/snooze';
import { useMessages, useSnooze } from './api';
import { EraseReport } from './cards';
import styles from './report.module.css';

interface Notice {
  title: string;
  body: ReactNode;
  actions?: ReactNode;
}

interface NoticesProps {
  report: ReportDetail;
  list: string;
  onAnswer: () => void;
}

export function Notices({ report, list, onAnswer }: NoticesProps) {
  const withdrawal = useWithdrawal(report, list, onAnswer);
  const snoozed = useSnoozed(report);
  const notices = [withdrawal, expiryOf(report), snoozed].filter((one) => one !== null);
  return notices.length > 0 ? (
    <details className={styles.notices}>
      <summary>
        <Info aria-hidden="true" />
        <span>
          {notices.map(({ title }) => (
            <strong key={title}>{title}</strong>
          ))}
        </span>
        <span className={styles.why}>Perché</span>
        <ChevronDown aria-hidden="true" />
      </summary>
      <Stack gap={4}>
        {notices.map(({ title, body, actions }) => (
          <Stack key={title} gap={2}>
            {body}
            {actions ? <Row gap={2}>{actions}</Row> : null}
          </Stack>
        ))}
      </Stack>
    </details>
  ) : null;
}

/** The reporter asks that all be withdrawn: why, by when, and the two ways on. */
function useWithdrawal(report: ReportDetail, list: string, onAnswer: () => void): Notice | null {
  const { administers, edits } = useRights();
  const { data } = useMessages(report.id);
  const { withdrawal: asked } = report;
  if (!asked) {
    return null;
  }
  const reason = data?.data.find(({ from, at }) => from === 'segnalante' && at === asked.at);
  return {
    title: `Chi ha segnalato chiede di ritirare tutto, entro il ${formatDateTime(asked.due)}`,
    body: reason ? <Text kept>«{reason.text}»</Text> : <p>Non ha scritto il motivo.</p>,
    actions: (
      <>
        {administers ? <EraseReport report={report} list={list} /> : null}
        {edits && data?.receipt ? <Button onClick={onAnswer}>Rispondi perché no</Button> : null}
      </>
    ),
  };
}

/** That it is put off, by whom, or came back: until its day is seen to. */
function useSnoozed(report: ReportDetail): Notice | null {
  const { drop } = useSnooze(report.id);
  const { edits } = useRights();
  const { snooze } = report;
  if (snooze === null) {
    return null;
  }
  const [until, by] = [formatDateTime(snooze.until), snooze.author ? `, da ${snooze.author.name}` : ''];
  const gone = isSnoozed(report);
  const [title, text] = gone
    ? [
        `Rinviata al ${until}${by}`,
        'Resta fuori dall’elenco fino ad allora, o finché chi ha segnalato scrive.',
      ]
    : [`Tornata il ${until}${by}`, 'Era stata rinviata: è di nuovo nell’elenco.'];
  return {
    title: snooze.word ? `${title}: ${snooze.word}` : title,
    body: <p>{text}</p>,
    actions: edits ? (
      <Button onClick={() => void drop()}>{gone ? 'Rimettila nell’elenco' : 'Ho visto'}</Button>
    ) : null,
  };
}

function expiryOf({ scadenza }: ReportDetail): Notice | null {
  return scadenza === null
    ? null
    : {
        title: `Verrà cancellata il ${formatDateTime(scadenza)}`,
        body: (
          <p>
            È chiusa, e sta per superare la durata di conservazione. Per tenerla, riportala In lavorazione.
          </p>
        ),
      };
}
