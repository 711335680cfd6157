import { TriangleAlert } from 'lucide-react';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { ActionNews } from '../common/action-news';
import type { Urgency } from './use-urgency';

const KINDS: Readonly<Record<NonNullable<ReportDetail['urgente']>, string>> = {
  self_harm: 'Intento autolesivo',
  threat: 'Minaccia ad altri',
  danger: 'Pericolo in corso',
};

interface UrgencyProps {
  report: ReportDetail;
  urgency: Urgency;
}

/** Says the opposite of what is: there is no other choice. */
export function UrgencyButton({ report, urgency }: UrgencyProps) {
  return (
    <Button
      ref={urgency.button}
      inactive={urgency.busy}
      icon={urgency.busy ? <Spinner /> : report.urgenteOra ? undefined : <TriangleAlert aria-hidden="true" />}
      onClick={() => urgency.turn(report)}
    >
      {report.urgenteOra ? 'Non è urgente' : 'Segna come urgente'}
    </Button>
  );
}

/** Whether there is anything to tell; where there is not, the button stands among those of the page. */
export function speaksOfUrgency(report: ReportDetail): boolean {
  return report.urgenteOra || report.urgente !== null;
}

/**
 * What the wording of a report suggests, and what an editor decided. Must never read as a finding: the program gives a
 * hint, which stays in sight, and people decide.
 */
export function UrgencyNotice({ report, urgency }: UrgencyProps) {
  return (
    <>
      {speaksOfUrgency(report) ? <Said report={report} urgency={urgency} /> : null}
      <ActionNews action={urgency} failed="Urgenza non modificata" />
    </>
  );
}

function Said({ report, urgency }: UrgencyProps) {
  const { urgente, urgenteOra } = report;
  const kind = urgente ? KINDS[urgente] : null;
  const actions = <UrgencyButton report={report} urgency={urgency} />;
  if (!urgenteOra) {
    return (
      <Message kind="info" title="Non urgente, per la redazione" actions={actions}>
        <p>
          Il programma l’aveva segnalata per le parole del racconto: {kind?.toLowerCase()}. Se cambi idea,
          puoi segnarla di nuovo.
        </p>
      </Message>
    );
  }
  return kind ? (
    <Message kind="warning" title={`Urgente: ${kind}`} actions={actions}>
      <p>
        È un indizio ricavato dalle parole del racconto, e può sbagliare: leggilo prima possibile e decidi tu.
        La chat ha indicato dove trovare aiuto; nessuno è stato avvisato.
      </p>
    </Message>
  ) : (
    <Message kind="warning" title="Urgente" actions={actions}>
      <p>L’ha segnata la redazione: il programma non l’aveva segnalata. Nessuno è stato avvisato.</p>
    </Message>
  );
}
