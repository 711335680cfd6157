/** What a report says, card by card; nothing here can be changed. */
import type { Delivery, HistoryEntry, ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { sizeOf } from '../../shared/lib/text';
import { messages } from '../../shared/messages';
import { Badge } from '../../shared/ui/badge';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { ActionNews } from '../common/action';
import { CopyButton } from '../common/copy-button';
import { DeliveryEntry } from '../common/deliveries/delivery-entry';
import { useDeliveryActions } from '../common/deliveries/queries';
import { deskName } from '../common/departments';
import { PERSON_FIELDS, type Person } from '../common/report-fields';
import { Verdict } from '../common/routing/verdict';
import { toneOf } from '../common/stato';
import styles from './report.module.css';

export function PersonCard({ report }: { report: Person }) {
  return (
    <Card title="Dati Personali">
      <Facts>
        {PERSON_FIELDS.map(({ label, text, link, wide = false }) => (
          <Fact key={label} name={label} wide={wide}>
            {link ? <a href={link(report)}>{text(report)}</a> : text(report)}
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

export function InfoCard({ report }: { report: ReportDetail }) {
  return (
    <Card title="Informazioni">
      <Stack align="start">
        <Facts>
          <Fact name="Data Ricezione">
            <time dateTime={report.data_creazione}>{formatDateTime(report.data_creazione)}</time>
          </Fact>
          <Fact name="Stato Attuale">
            <Badge tone={toneOf(report.stato)}>{report.stato}</Badge>
          </Fact>
          <Fact name="ID Segnalazione" wide>
            <Text as="span" mono small>
              {report.id}
            </Text>
          </Fact>
        </Facts>
        <CopyButton text={report.id} label="Copia ID" />
      </Stack>
    </Card>
  );
}

/** Which desk the report is on, and why. It is moved in the form beside. */
export function DepartmentCard({ report }: { report: ReportDetail }) {
  return (
    <Card title="Reparto">
      <Verdict verdict={{ ...report, reason: report.routingReason }} />
    </Card>
  );
}

export function DeliveriesCard({ deliveries }: { deliveries: readonly Delivery[] }) {
  const actions = useDeliveryActions();
  return (
    <Card title="Consegne">
      {deliveries.length > 0 ? (
        <Stack as="ul" lined>
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryEntry delivery={delivery} actions={actions} />
            </li>
          ))}
        </Stack>
      ) : (
        <Text tone="muted">Nessuna email e nessun webhook per questa segnalazione.</Text>
      )}
      <ActionNews action={actions} failed={actions.failed} />
    </Card>
  );
}

/** Says when the age of a report erases it, while it can still be kept. */
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
  esportata: 'Scheda PDF esportata',
  reparto: 'Reparto modificato',
  urgente: 'Urgenza modificata',
  messaggio: 'Messaggio inviato a chi ha segnalato',
  risposta: 'Messaggio di chi ha segnalato',
};

function sentenceOf(entry: HistoryEntry): string {
  if (entry.tipo === 'stato' && entry.da && entry.a) {
    return `Stato modificato da ${entry.da} a ${entry.a}`;
  }
  if (entry.tipo === 'reparto' && entry.daReparto && entry.aReparto) {
    return `Spostata da ${deskName(entry.daReparto)} a ${deskName(entry.aReparto)}`;
  }
  if (entry.tipo === 'urgente' && entry.aUrgente !== undefined) {
    return entry.aUrgente ? 'Segnata come urgente' : 'Tolto il segno «urgente»';
  }
  return SIMPLE[entry.tipo];
}

export function HistoryCard({ entries }: { entries: readonly HistoryEntry[] }) {
  return (
    <Card title="Cronologia">
      <ol>
        {[...entries].reverse().map((entry) => (
          <Row as="li" key={`${entry.data} ${entry.tipo}`} justify="between" gap={1} className={styles.entry}>
            <span>{sentenceOf(entry)}</span>
            <Text as="time" tone="muted" small digits dateTime={entry.data}>
              {formatDateTime(entry.data)}
            </Text>
          </Row>
        ))}
      </ol>
    </Card>
  );
}
