import { useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { ActionNews, useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { adopt } from '../common/use-read';
import { reportKey } from './queries';

/**
 * Saves what the editor decided on the version that is shown. Where somebody else saved meanwhile the decision stands all
 * the same: it is one of two, and a version in which it is taken already is as good as saved.
 */
async function decide({ id, versione }: ReportDetail, urgente: boolean): Promise<ReportDetail> {
  const patch = (ifMatch: number) =>
    call('patch', '/reports/{id}', { path: { id }, body: { urgente }, ifMatch });
  try {
    return await patch(versione);
  } catch (error) {
    if (!isProblem(error, 'versione-superata') || !error.current) {
      throw error;
    }
    return error.current.urgenteOra === urgente ? error.current : await patch(error.current.versione);
  }
}

const newsOf = (urgente: boolean) => (urgente ? 'Segnata come urgente.' : 'Tolto il segno «urgente».');

type Urgency = ReturnType<typeof useUrgency>;

/** Takes back that a report is urgent, or says that it is. */
export function useUrgency(urgenteOra: boolean | undefined) {
  const client = useQueryClient();
  const action = useAction();
  const { busy, failure, announce } = action;
  /** Says the opposite of what is: after a decision it stands elsewhere, and the focus follows it. */
  const button = useRef<HTMLButtonElement>(null);
  /** What was decided, until the report says so. */
  const wanted = useRef<boolean | null>(null);

  useEffect(() => {
    if (wanted.current !== null && wanted.current === urgenteOra) {
      if (failure) {
        // Only the answer was lost.
        announce(newsOf(urgenteOra));
      }
      // Only where the focus was lost with the button: whoever writes elsewhere by now goes on writing.
      if (document.activeElement === document.body) {
        button.current?.focus({ preventScroll: true });
      }
      if (!busy) {
        wanted.current = null;
      }
    }
  }, [urgenteOra, busy, failure, announce]);

  const turn = (report: ReportDetail) =>
    void action.run(async () => {
      const urgente = !report.urgenteOra;
      wanted.current = urgente;
      try {
        await adopt(client, reportKey(report.id), await decide(report, urgente), ['/reports']);
      } catch (error) {
        // Whether it was saved all the same, or the report was erased: the page says so as soon as it has heard it itself.
        void client.invalidateQueries({ queryKey: reportKey(report.id) });
        throw error;
      }
      return newsOf(urgente);
    });
  return { ...action, button, turn };
}

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
  const { urgente, urgenteOra } = report;
  const kind = urgente ? KINDS[urgente] : null;
  const title = !urgenteOra ? 'Non urgente, per la redazione' : kind ? `Urgente: ${kind}` : 'Urgente';
  const text = !urgenteOra
    ? `Il programma l’aveva segnalata per le parole del racconto: ${kind?.toLowerCase()}. Se cambi idea, puoi segnarla di nuovo.`
    : kind
      ? 'È un indizio ricavato dalle parole del racconto, e può sbagliare: leggilo prima possibile e decidi tu. La chat ha indicato dove trovare aiuto; nessuno è stato avvisato.'
      : 'L’ha segnata la redazione: il programma non l’aveva segnalata. Nessuno è stato avvisato.';
  return (
    <>
      {speaksOfUrgency(report) ? (
        <Message
          kind={urgenteOra ? 'warning' : 'info'}
          title={title}
          actions={<UrgencyButton report={report} urgency={urgency} />}
        >
          <p>{text}</p>
        </Message>
      ) : null}
      <ActionNews action={urgency} failed="Urgenza non modificata" />
    </>
  );
}
