import type { ReportDetail } from '../../shared/api/schema';
import { Message } from '../../shared/ui/message';

const KINDS: Readonly<Record<NonNullable<ReportDetail['urgente']>, string>> = {
  self_harm: 'Intento autolesivo',
  threat: 'Minaccia ad altri',
  danger: 'Pericolo in corso',
};

const NOBODY_TOLD = 'Il programma non ha avvisato nessuno: se serve, chiama il 112.';

/**
 * What the wording of a report suggests, and what an editor decided. Must never read as a finding: the program gives a
 * hint, which stays in sight, and people decide.
 */
export function UrgencyNotice({ report: { urgente, urgenteOra } }: { report: ReportDetail }) {
  const kind = urgente ? KINDS[urgente] : null;
  if (!urgenteOra && kind === null) {
    return null;
  }
  const title = !urgenteOra
    ? 'Giudicata non urgente dalla redazione'
    : kind
      ? `Urgente: ${kind}`
      : 'Urgente per la redazione';
  const text = !urgenteOra
    ? `Il programma l’aveva segnalata per le parole del racconto: ${kind?.toLowerCase()}.`
    : kind
      ? `È un indizio ricavato dalle parole del racconto, e può sbagliare. La chat ha indicato dove trovare aiuto. ${NOBODY_TOLD}`
      : NOBODY_TOLD;
  return (
    <Message kind={urgenteOra ? 'warning' : 'info'} title={title}>
      <p>{text}</p>
    </Message>
  );
}
