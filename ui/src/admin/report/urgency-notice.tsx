import type { ReportDetail } from '../../shared/api/schema';
import { Message } from '../../shared/ui/message';
import styles from './report-page.module.css';

const KINDS: Readonly<Record<NonNullable<ReportDetail['urgente']>, string>> = {
  self_harm: 'Intento autolesivo',
  threat: 'Minaccia ad altri',
  danger: 'Pericolo in corso',
};

/** What the wording of a report suggests. Must never read as a finding: it is a hint, and people decide. */
export function UrgencyNotice({ urgente }: { urgente: ReportDetail['urgente'] }) {
  return urgente ? (
    <div className={styles.notice}>
      <Message kind="warning" title={`Urgente: ${KINDS[urgente]}`}>
        <p>
          È un indizio ricavato dalle parole del racconto, e può sbagliare: leggilo prima possibile e decidi
          tu. La chat ha indicato dove trovare aiuto; nessuno è stato avvisato.
        </p>
      </Message>
    </div>
  ) : null;
}
