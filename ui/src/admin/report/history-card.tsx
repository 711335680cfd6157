import type { HistoryEntry } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Card } from '../../shared/ui/card';
import { Row, Text } from '../../shared/ui/layout';
import { deskName } from '../common/departments';
import styles from './report.module.css';

const SIMPLE: Readonly<Record<HistoryEntry['tipo'], string>> = {
  ricevuta: 'Segnalazione ricevuta',
  aperta: 'Aperta in redazione',
  stato: 'Stato modificato',
  note: 'Note interne modificate',
  esportata: 'Scheda PDF esportata',
  reparto: 'Reparto modificato',
  urgente: 'Urgenza modificata',
};

export function sentenceOf(entry: HistoryEntry): string {
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

/** What has happened to the report, the latest first. */
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
