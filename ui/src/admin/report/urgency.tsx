import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { useChanges } from '../desk/changes';
import { useRights } from '../session/session-context';

const KINDS: Readonly<Record<NonNullable<ReportDetail['urgente']>, string>> = {
  self_harm: 'Intento autolesivo',
  threat: 'Minaccia ad altri',
  danger: 'Pericolo in corso',
};

const NOBODY_TOLD = 'Il programma non ha avvisato nessuno: se serve, chiama il 112.';

function toldOf({ urgente, urgenteOra, inoltrata }: ReportDetail): [string, string] | null {
  const kind = urgente ? KINDS[urgente] : null;
  const rest = inoltrata ? `Inoltrata alle autorità il ${formatDateTime(inoltrata)}.` : NOBODY_TOLD;
  if (!urgenteOra) {
    const read = `Il programma l’aveva segnalata per le parole del racconto: ${kind?.toLowerCase()}.`;
    return kind || inoltrata
      ? ['Giudicata non urgente dalla redazione', [kind ? read : '', inoltrata ? rest : ''].join(' ').trim()]
      : null;
  }
  return kind
    ? [
        `Urgente: ${kind}`,
        `È un indizio ricavato dalle parole del racconto, e può sbagliare. La chat ha indicato dove trovare aiuto. ${rest}`,
      ]
    : ['Urgente per la redazione', rest];
}

/** Must never read as a finding: the program gives a hint, which stays in sight, and people decide. */
export function UrgencyNotice({ report }: { report: ReportDetail }) {
  const { change, pending } = useChanges();
  const { edits } = useRights();
  const told = toldOf(report);
  if (told === null) {
    return null;
  }
  const [title, text] = told;
  const forwarded = pending(report.id).inoltrata ?? report.inoltrata !== null;
  return (
    <Message
      kind={report.urgenteOra ? 'warning' : 'info'}
      title={title}
      actions={
        edits ? (
          <Button onClick={() => change(report, { inoltrata: !forwarded })}>
            {forwarded ? 'Non è stata inoltrata' : 'Segna come inoltrata alle autorità'}
          </Button>
        ) : null
      }
    >
      <p>{text}</p>
    </Message>
  );
}
