import { Megaphone, Trash2, UserX } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'react-router-dom';
import type { Delivery, ReportDetail } from '../../shared/api/schema';
import { sizeOf } from '../../shared/lib/text';
import { messages } from '../../shared/messages';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Failure } from '../common/action';
import { useDeliveryActions } from '../common/deliveries/api';
import { DeliveryEntry, inShort, isOpen } from '../common/deliveries/delivery-entry';
import { Fold } from '../common/fold';
import { List } from '../common/list/list';
import { Opener } from '../common/opener';
import { paths } from '../common/paths';
import { REPORTER_FIELDS, type Reporter } from '../common/report-fields';
import { partsAt } from './parts';
import styles from './report.module.css';

export function PersonFold({ report }: { report: Reporter }) {
  return (
    <Fold title="Dati Personali">
      <Facts>
        {REPORTER_FIELDS.map(({ label, text, fullWidth = false }) => (
          <Fact key={label} name={label} wide={fullWidth}>
            {text(report) || '—'}
          </Fact>
        ))}
      </Facts>
    </Fold>
  );
}

/** The questions of a callout, and what was answered. */
export function Answers({ report: { inchiesta, risposte } }: { report: ReportDetail }) {
  return inchiesta ? (
    <section aria-label="Inchiesta" className={styles.answers}>
      <p>
        <Megaphone aria-hidden="true" />
        Inchiesta <Link to={paths.answers(inchiesta.id)}>{inchiesta.title}</Link>
      </p>
      <dl>
        {risposte.map(({ key, question, text }) => (
          <Fact key={key} name={question}>
            {text}
          </Fact>
        ))}
      </dl>
    </section>
  ) : null;
}

/** What the program writes over additions. */
const HEADING = /\n*^INFORMAZIONI AGGIUNTIVE$/gm;

/** The words that raised an urgent report are underlined in it. */
export function Account({ report }: { report: ReportDetail }) {
  const text = report.segnalazione;
  const words = report.urgenteOra ? report.urgentWords : [];
  return (
    <section aria-labelledby="racconto" className={styles.account}>
      <h2 id="racconto" className="visually-hidden">
        Testo della Segnalazione
      </h2>
      {text.trim() ? (
        <p>
          {partsAt(text, words).map(({ key, part, found }) =>
            found ? <mark key={key}>{part}</mark> : <Fragment key={key}>{part}</Fragment>,
          )}
        </p>
      ) : (
        <Text tone="muted">{messages.reports.noText}</Text>
      )}
      <Text tone="muted" small digits>
        {sizeOf(text.replace(HEADING, ''))}
      </Text>
    </section>
  );
}

export function DeliveriesFold({ deliveries }: { deliveries: readonly Delivery[] }) {
  const actions = useDeliveryActions();
  const open = deliveries.filter(isOpen);
  const note = open.length === 0 ? `${deliveries.length}` : open.map(inShort).join(', ');
  return (
    <Fold title="Consegne" note={note} alarming={open.length > 0}>
      <List of={deliveries} label="Consegne" empty="Nessuna email e nessun webhook per questa segnalazione.">
        {(delivery) => <DeliveryEntry key={delivery.id} delivery={delivery} actions={actions} />}
      </List>
      <Failure of={actions} title={actions.failed} />
    </Fold>
  );
}

interface ErasureProps {
  report: ReportDetail;
  list: string;
}

const loadErasure = () => import('./erasure-dialog');

export function EraseReport(props: ErasureProps) {
  return (
    <Opener
      load={loadErasure}
      props={{ ...props, scope: 'report' as const }}
      variant="danger"
      icon={<Trash2 />}
    >
      Cancella questa segnalazione…
    </Opener>
  );
}

export function ErasureFold(props: ErasureProps) {
  return (
    <Fold title="Cancellazione">
      <Stack>
        <p>Cancella per sempre ciò che è stato scritto. Nessuno potrà recuperarlo.</p>
        <Row>
          <EraseReport {...props} />
          <Opener load={loadErasure} props={{ ...props, scope: 'person' as const }} icon={<UserX />}>
            Cancella tutte quelle di questa persona…
          </Opener>
        </Row>
      </Stack>
    </Fold>
  );
}
