import { formatDateTime } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { Badge } from '../../shared/ui/badge';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Message } from '../../shared/ui/message';
import { type LocalReport, useLocalReports } from '../common/local-reports';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { toneOf } from '../common/stato';
import { PersonCard, ReportHeading, TextCard } from './cards';
import { NotFound } from './not-found';
import styles from './report.module.css';

/** A report that only this browser has: it can be read, and changed only once the newsroom has it. */
export function LocalReportPage({ id, list }: { id: string; list: string }) {
  const report = useLocalReports().find((kept) => kept.id === id);
  const listAddress = paths.reports + list;
  if (!report) {
    return (
      <NotFound listAddress={listAddress}>
        <p>Non è più in questo browser: se intanto è stata inviata, la trovi nella lista.</p>
      </NotFound>
    );
  }
  return (
    <Page title={`Segnalazione #${id}`} heading={<ReportHeading id={id} />} back={listAddress}>
      <Message kind="warning" title={messages.reports.onlyHere}>
        <p>
          Il server non ha potuto salvarla. La chat la invia da sola, da questo browser, appena il
          collegamento torna: fino ad allora si può solo leggere.
        </p>
      </Message>
      <Cards report={report} />
    </Page>
  );
}

function Cards({ report }: { report: LocalReport }) {
  return (
    <div className={styles.columns}>
      <div className={styles.person}>
        <PersonCard report={report} />
      </div>
      <div className={styles.text}>
        <TextCard text={report.segnalazione} />
      </div>
      <div className={styles.aside}>
        <Card title="Informazioni">
          <Facts>
            <Fact name="Conservata il">
              <time dateTime={report.data_creazione}>{formatDateTime(report.data_creazione)}</time>
            </Fact>
            <Fact name="Stato Attuale">
              <Badge tone={toneOf(report.stato)}>{report.stato}</Badge>
            </Fact>
            {report.note ? (
              <Fact name="Note Interne" wide>
                {report.note}
              </Fact>
            ) : null}
          </Facts>
        </Card>
      </div>
    </div>
  );
}
