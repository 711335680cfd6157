import { Trash2, UserX } from 'lucide-react';
import type { Delivery, HistoryEntry, ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { sizeOf } from '../../shared/lib/text';
import { messages } from '../../shared/messages';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { ActionNews } from '../common/action';
import { useDeliveryActions } from '../common/deliveries/api';
import { DeliveryEntry, inShort, isOpen } from '../common/deliveries/delivery-entry';
import { deskName } from '../common/departments';
import { Fold } from '../common/fold';
import { List, Time } from '../common/list';
import { Opener } from '../common/opener';
import { type People, usePeople } from '../common/people/people';
import { REPORTER_FIELDS, type Reporter } from '../common/report-fields';
import { Verdict } from '../common/routing/verdict';
import styles from './report.module.css';

export function PersonCard({ report }: { report: Reporter }) {
  return (
    <Card title="Dati Personali">
      <Facts>
        {REPORTER_FIELDS.map(({ label, text, href, fullWidth = false }) => (
          <Fact key={label} name={label} wide={fullWidth}>
            {href && text(report) ? <a href={href(report)}>{text(report)}</a> : text(report) || '—'}
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}

export function TextCard({ text }: { text: string }) {
  return (
    <Card
      title="Testo della Segnalazione"
      aside={
        <Text tone="muted" small digits>
          {sizeOf(text)}
        </Text>
      }
    >
      {text.trim() ? (
        <Text kept className={styles.account}>
          {text}
        </Text>
      ) : (
        <Text tone="muted">{messages.reports.noText}</Text>
      )}
    </Card>
  );
}

export function ReasonFold({ report }: { report: ReportDetail }) {
  return (
    <Fold title="Perché questo reparto">
      <Verdict verdict={report} quiet />
    </Fold>
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
      <ActionNews action={actions} failed={actions.failed} />
    </Fold>
  );
}

export function ExpiryNotice({ scadenza }: { scadenza: string | null }) {
  return scadenza ? (
    <Message kind="warning" title={`Verrà cancellata il ${formatDateTime(scadenza)}`}>
      <p>È chiusa, e sta per superare la durata di conservazione. Per tenerla, riportala In lavorazione.</p>
    </Message>
  ) : null;
}

const SIMPLE: Readonly<Record<HistoryEntry['tipo'], string>> = {
  ricevuta: 'Segnalazione ricevuta',
  aperta: 'Aperta in redazione',
  stato: 'Stato modificato',
  note: 'Note interne modificate',
  esportata: 'Segnalazione esportata',
  reparto: 'Reparto modificato',
  urgente: 'Urgenza modificata',
  inoltrata: 'Inoltro alle autorità modificato',
  etichette: 'Etichette modificate',
  messaggio: 'Messaggio inviato a chi ha segnalato',
  risposta: 'Messaggio di chi ha segnalato',
  assegnata: 'Assegnazione modificata',
  ritiro: 'Richiesta di ritiro chiusa con una risposta',
  allegato: 'File ritirato da chi ha segnalato',
};

/** A yes in the history. */
const YES = '1';

function sentenceOf(entry: HistoryEntry, nameOf: People['nameOf']): string {
  if (entry.tipo === 'stato' && entry.da && entry.a) {
    return `Stato modificato da ${entry.da} a ${entry.a}`;
  }
  if (entry.tipo === 'reparto') {
    return `Spostata da ${deskName(entry.da ?? '')} a ${deskName(entry.a ?? '')}`;
  }
  if (entry.tipo === 'urgente') {
    return entry.a === YES ? 'Segnata come urgente' : 'Tolto il segno «urgente»';
  }
  if (entry.tipo === 'inoltrata') {
    return entry.a === YES ? 'Inoltrata alle autorità' : 'Tolto l’inoltro alle autorità';
  }
  if (entry.tipo === 'ritiro' && entry.a === YES) {
    return 'Chi ha segnalato chiede di ritirare tutto';
  }
  if (entry.tipo === 'assegnata') {
    const name = nameOf(entry.a);
    return name ? `Assegnata a ${name}` : 'Non più assegnata';
  }
  return SIMPLE[entry.tipo];
}

export function HistoryFold({ entries }: { entries: readonly HistoryEntry[] }) {
  const { nameOf } = usePeople();
  return (
    <Fold title="Cronologia" note={`${entries.length}`}>
      <List as="ol" of={[...entries].reverse()} label="Cronologia" empty="">
        {(entry) => (
          <Row as="li" key={`${entry.data} ${entry.tipo}`} justify="between" gap={1}>
            <span>{[sentenceOf(entry, nameOf), entry.author?.name].filter(Boolean).join(' · ')}</span>
            <Text as="span" tone="muted" small digits>
              <Time at={entry.data} />
            </Text>
          </Row>
        )}
      </List>
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
