import type { ReportDetail } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { Checkbox } from '../../shared/ui/checkbox';
import { Stack, Text } from '../../shared/ui/layout';
import { BAR } from './places';
import type { Choice, ChoiceSteps } from './use-choice';

interface CopyField {
  /** As a mask names it. */
  name: string;
  label: string;
  value: string;
}

/** What a report has beside its account: personal data, and answers to a callout. */
export function fieldsOf(report: ReportDetail): CopyField[] {
  const { nome, cognome, eta, telefono, email, indirizzo, risposte } = report;
  const own = [
    { name: 'nome', label: 'Nome', value: nome },
    { name: 'cognome', label: 'Cognome', value: cognome },
    { name: 'eta', label: 'Età', value: eta > 0 ? `${eta}` : '' },
    { name: 'telefono', label: 'Telefono', value: telefono },
    { name: 'email', label: 'Email', value: email },
    { name: 'indirizzo', label: 'Indirizzo', value: indirizzo },
  ];
  const answers = risposte.map(({ key, question, text }) => ({
    name: `risposte.${key}`,
    label: question,
    value: text,
  }));
  return [...own.filter(({ value }) => value !== ''), ...answers];
}

export const shownIn = ({ name, value }: CopyField, { fields }: Choice): string =>
  fields.includes(name) ? BAR : value;

export function Fields({ report, steps }: { report: ReportDetail; steps: ChoiceSteps }) {
  const fields = fieldsOf(report);
  return fields.length > 0 ? (
    <Card title="Dati e risposte">
      <Stack role="group" aria-label="Che cosa è coperto" gap={1}>
        <Text tone="muted" small>
          Con la spunta è coperto.
        </Text>
        {fields.map(({ name, label, value }) => (
          <Checkbox
            key={name}
            checked={steps.now.fields.includes(name)}
            onChange={() => steps.toggleField(name)}
          >
            {label}: {value}
          </Checkbox>
        ))}
      </Stack>
    </Card>
  ) : null;
}
