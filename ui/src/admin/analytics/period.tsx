/** Which days the figures are about: chosen once, remembered on this browser. */
import { useState } from 'react';
import { ownKey } from '../../shared/lib/boot';
import { now } from '../../shared/lib/clock';
import { DAY_MS, dayOf } from '../../shared/lib/dates';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { Row } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { TextField } from '../../shared/ui/text-field';

const CHOICES: readonly Option<Choice>[] = [
  { value: '7', label: 'Ultimi 7 giorni' },
  { value: '30', label: 'Ultimi 30 giorni' },
  { value: '90', label: 'Ultimi 90 giorni' },
  { value: '365', label: 'Ultimo anno' },
  { value: 'dates', label: 'Da un giorno a un altro' },
];
const MOST_DAYS = 732;

type Choice = '7' | '30' | '90' | '365' | 'dates';

export interface Period {
  choice: Choice;
  /** Days such as `2026-11-21`, of their own choice. */
  from: string;
  to: string;
}

const DEFAULT: Period = { choice: '30', from: '', to: '' };
const key = () => ownKey('periodo_numeri');

export function usePeriod(): [Period, (period: Period) => void] {
  const [period, setPeriod] = useState(
    // Only this page writes under this key.
    () => (readJson(openStore('localStorage'), key()) as Period | undefined) ?? DEFAULT,
  );
  const choose = (chosen: Period) => {
    setPeriod(chosen);
    writeJson(openStore('localStorage'), key(), chosen);
  };
  return [period, choose];
}

/** The period that the server is asked for. The server chooses a day that was left open. */
export function queryOf({ choice, from, to }: Period, present = now()): { from?: string; to?: string } {
  if (choice === 'dates') {
    return { ...(from && { from }), ...(to && { to }) };
  }
  return choice === '30' ? {} : { from: dayOf(present - (Number(choice) - 1) * DAY_MS) };
}

/** The error of the period, in the server's words. */
export function wrongIn({ choice, from, to }: Period, present = now()): string | undefined {
  const until = to || dayOf(present);
  if (choice !== 'dates' || from === '') {
    return undefined;
  }
  if (from > until) {
    return 'Il primo giorno viene dopo l’ultimo.';
  }
  const days = (Date.parse(until) - Date.parse(from)) / DAY_MS;
  return days < MOST_DAYS ? undefined : 'Al massimo due anni alla volta.';
}

interface PickerProps {
  period: Period;
  onPeriod: (period: Period) => void;
}

export function PeriodPicker({ period, onPeriod }: PickerProps) {
  const day = (name: 'from' | 'to', label: string) => (
    <TextField
      label={label}
      type="date"
      max="9998-12-31"
      error={name === 'from' ? wrongIn(period) : undefined}
      value={period[name]}
      onValue={(value) => onPeriod({ ...period, [name]: value })}
    />
  );
  return (
    <Row align="start">
      <SelectField
        label="Periodo"
        value={period.choice}
        options={CHOICES}
        onValue={(choice) => onPeriod({ ...period, choice })}
      />
      {period.choice === 'dates' ? (
        <>
          {day('from', 'Dal')}
          {day('to', 'Al')}
        </>
      ) : null}
    </Row>
  );
}
