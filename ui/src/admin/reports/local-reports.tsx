import { useEffect, useState } from 'react';
import { formatDateTime } from '../../shared/lib/dates';
import { keptReports } from '../../shared/lib/kept-reports';
import { Badge } from '../../shared/ui/badge';
import { Fact, Facts } from '../../shared/ui/facts';
import { Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Details } from '../common/fold';
import { REPORTER_FIELDS } from '../common/report-fields';
import { reporterName } from '../common/reporter-name';
import { toneOf } from '../common/stato';

/** The reports that only this browser has, because their last turn could not be saved: they can be read, and no more. */
export function LocalReports() {
  const [kept, setKept] = useState(keptReports);
  useEffect(() => {
    // Other tabs tell of their changes; on coming back to this one it looks again.
    const look = () => setKept(keptReports());
    const gone = new AbortController();
    window.addEventListener('storage', look, gone);
    window.addEventListener('focus', look, gone);
    return () => gone.abort();
  }, []);

  return kept.map(({ key, report }) => {
    const { name, surname, age, phone, email, address, timestamp } = report;
    const person = {
      id: '',
      nome: name,
      cognome: surname,
      eta: age,
      telefono: phone,
      email,
      indirizzo: address,
    };
    const when = Number.isNaN(Date.parse(timestamp)) ? '' : `, ${formatDateTime(timestamp)}`;
    return (
      <Message key={key} kind="warning" title="In questo browser, non ancora inviata">
        <p>
          {reporterName(person)}
          {when}. Il server non ha potuto salvarla. La chat la invia da sola, da questo browser, appena il
          collegamento torna: fino ad allora si può solo leggere.
        </p>
        <Details summary="Leggi la segnalazione">
          <Facts>
            {REPORTER_FIELDS.map(({ label, text, fullWidth = false }) => (
              <Fact key={label} name={label} wide={fullWidth}>
                {text(person)}
              </Fact>
            ))}
            <Fact name="Stato Attuale">
              <Badge tone={toneOf(report.stato)}>{report.stato}</Badge>
            </Fact>
            <Fact name="Testo della Segnalazione" wide>
              <Text kept>{report.report}</Text>
            </Fact>
          </Facts>
        </Details>
      </Message>
    );
  });
}
