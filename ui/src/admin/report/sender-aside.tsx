/** A sender is set aside, with all that they send, or taken back. Must never be told to them. */
import { UserMinus } from 'lucide-react';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { type Action, useAction } from '../common/action';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { useToast } from '../common/toast';
import { useRefresh } from '../common/use-read';
import { HeadLine } from './head-line';

export const ASIDE_MEANS =
  'Quello che manda arriva lo stesso, ma resta fuori da elenchi, conteggi e avvisi. Chi scrive non lo saprà.';

export interface SenderAside extends Action {
  /** Sets them aside, or takes them back, and tells it with its undo. */
  turn: () => void;
}

export function useSenderAside(report: ReportDetail): SenderAside {
  const { id, aside } = report;
  const path = { id };
  const action = useAction();
  const refresh = useRefresh();
  const { show } = useToast();
  const set = async (to: boolean): Promise<string> => {
    await (to
      ? call('put', '/reports/{id}/sender-aside', { path })
      : call('delete', '/reports/{id}/sender-aside', { path }));
    await refresh();
    return `Chi scrive ${to ? 'è' : 'non è più'} da parte: ${reporterName(report)}`;
  };
  const turn = () => void action.run(async () => show({ text: await set(!aside), undo: () => set(aside) }));
  return { ...action, turn };
}

/** At the head of a report whose sender is set aside. */
export function SenderAsideLine({ report, sender }: { report: ReportDetail; sender: SenderAside }) {
  const { edits } = useRights();
  return report.aside ? (
    <HeadLine
      icon={<UserMinus aria-hidden="true" />}
      title="Chi scrive è da parte"
      action={
        edits ? (
          <Button variant="quiet" inactive={sender.busy} onClick={sender.turn}>
            Riprendi
          </Button>
        ) : null
      }
    >
      <p>{ASIDE_MEANS}</p>
    </HeadLine>
  ) : null;
}
