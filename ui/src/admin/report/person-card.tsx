import type { ReportDetail } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from './facts';

/** Everything but the at sign is escaped: an address must not be able to add a subject or a copy to the mail. */
export function mailtoOf(email: string): string {
  return `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
}

type Person = Pick<ReportDetail, 'nome' | 'cognome' | 'eta' | 'telefono' | 'email' | 'indirizzo'>;

export function PersonCard({ report }: { report: Person }) {
  return (
    <Card title="Dati Personali">
      <Facts>
        <Fact name="Nome Completo">
          {report.nome} {report.cognome}
        </Fact>
        <Fact name="Età">{report.eta} anni</Fact>
        <Fact name="Telefono">
          <a href={`tel:${encodeURIComponent(report.telefono)}`}>{report.telefono}</a>
        </Fact>
        <Fact name="Email">
          <a href={mailtoOf(report.email)}>{report.email}</a>
        </Fact>
        <Fact name="Indirizzo" wide>
          {report.indirizzo}
        </Fact>
      </Facts>
    </Card>
  );
}
