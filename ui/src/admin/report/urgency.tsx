/** Why a report is urgent, told once. Must never read as a finding: the program gives a hint, and people decide. */
import { TriangleAlert } from 'lucide-react';
import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { useRights } from '../common/session/session-context';
import { quoted } from '../common/stories';
import { choicesOf, useChanges } from '../desk/changes';
import { HeadLine } from './head-line';

const KINDS: Readonly<Record<NonNullable<ReportDetail['urgente']>, string>> = {
  self_harm: 'Intento di farsi del male',
  threat: 'Minaccia ad altri',
  danger: 'Pericolo per qualcuno',
};

const NOT_TOLD = 'Il programma non ha avvisato nessuno: se serve, chiama il 112.';

/** The title of the line, and what it unfolds; null where there is nothing to tell. */
function toldOf(report: ReportDetail, urgent: boolean): [string, string] | null {
  const { urgente, inoltrata } = report;
  const kind = urgente ? KINDS[urgente] : null;
  const rest = inoltrata ? `Inoltrata alle autorità il ${formatDateTime(inoltrata)}.` : NOT_TOLD;
  if (!urgent) {
    const read = kind
      ? `Il programma l’aveva segnalata per le parole del racconto: ${kind.toLowerCase()}.`
      : '';
    return kind || inoltrata
      ? ['Giudicata non urgente dalla redazione', [read, inoltrata ? rest : ''].join(' ').trim()]
      : null;
  }
  return kind
    ? [
        `Forse: ${kind}`,
        `È un indizio ricavato dalle parole del racconto, e può sbagliare. La chat ha indicato dove trovare aiuto. ${rest}`,
      ]
    : ['Urgente per la redazione', rest];
}

export function Urgency({ report }: { report: ReportDetail }) {
  const { change, pending } = useChanges();
  const { edits } = useRights();
  const { urgente, inoltrata } = { ...choicesOf(report), ...pending(report.id) };
  const told = toldOf(report, urgente);
  if (told === null) {
    return null;
  }
  const [title, text] = told;
  const words = urgente ? quoted(report.urgentWords) : '';
  return (
    <HeadLine
      icon={<TriangleAlert aria-hidden="true" />}
      title={title}
      more={words && ` · parole: ${words}`}
      alarming={urgente}
      action={
        edits ? (
          <Button variant="quiet" onClick={() => change(report, { urgente: !urgente })}>
            {urgente ? 'Non è urgente' : 'È urgente'}
          </Button>
        ) : null
      }
    >
      <p>{text}</p>
      {edits ? (
        <Row>
          <Button onClick={() => change(report, { inoltrata: !inoltrata })}>
            {inoltrata ? 'Non è stata inoltrata' : 'Segna come inoltrata alle autorità'}
          </Button>
        </Row>
      ) : null}
    </HeadLine>
  );
}
