/** The departments to begin with. Must keep what was typed until the server has taken all of it. */
import { useId, useState } from 'react';
import { call } from '../../shared/api/client';
import type { DepartmentList } from '../../shared/api/schema';
import { Radio } from '../../shared/ui/checkbox';
import { Form } from '../../shared/ui/form';
import { Stack, Text } from '../../shared/ui/layout';
import { AreaField } from '../../shared/ui/text-field';
import { type Action, Send } from '../common/action';
import { GENERAL, MOST, NAME_CHARS } from '../common/departments';
import { ToldError } from '../common/errors';

export interface Line {
  name: string;
  email: string;
}

const ATOM = "[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[\\p{L}\\p{N}]([\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';
/** An address as the server takes it (RFC 5321 §4.1.2), with a dotted domain. */
const ADDRESS = new RegExp(`^(?=.{1,64}@)(?=.{1,254}$)${ATOM}(\\.${ATOM})*@(${LABEL}\\.)+${LABEL}$`, 'u');
const ADDRESSES = 20;

/** A department a line: its name, then the addresses that there are, or what was meant as one. */
export function linesOf(text: string): Line[] {
  const lines = text
    .normalize('NFC')
    .split('\n')
    .map((line) => {
      const addresses = line.match(/[^\s,;:<>()]*@[^\s,;:<>()]*/gu) ?? [];
      const rest = addresses.reduce((text, address) => text.replace(address, ''), line);
      const name = rest.replace(/^[\s,;:<>()]+|[\s,;:<>()]+$/gu, '').replace(/\s+/gu, ' ');
      return { name, email: addresses.join(', ') };
    });
  return lines.filter(({ name, email }) => name !== '' || email !== '');
}

const same = (one: string, other: string) => one.localeCompare(other, 'it-IT', { sensitivity: 'base' }) === 0;

function wrongWith({ name, email }: Line, taken: readonly string[]): string | undefined {
  const addresses = email.split(', ').filter(Boolean);
  const bad = addresses.find((address) => !ADDRESS.test(address));
  if (bad) {
    return `Non è un indirizzo email, come redazione@esempio.it: ${bad}.`;
  }
  if (addresses.length > ADDRESSES) {
    return `Inserisci al massimo ${ADDRESSES} indirizzi email.`;
  }
  if ([...name.replace(/\p{C}/gu, '')].length < 2 || [...name].length > NAME_CHARS) {
    return `Il nome deve avere da 2 a ${NAME_CHARS} caratteri.`;
  }
  if (taken.some((other) => same(other, name))) {
    return 'C’è già un reparto con questo nome.';
  }
  return taken.length > MOST ? `I reparti possono essere al massimo ${MOST}.` : undefined;
}

/** What is wrong with the first line that the server would refuse; `general` is the name that is taken. */
export function refusalOf(lines: readonly Line[], general: string): string | undefined {
  const taken = [general];
  for (const line of lines) {
    const wrong = wrongWith(line, taken);
    if (wrong) {
      return `«${[line.name, line.email].filter(Boolean).join(' ')}»: ${wrong}`;
    }
    taken.push(line.name);
  }
  return undefined;
}

/** Makes the list what was typed, or changes nothing. Begun again after a fault, it goes on where it was. */
export async function putDepartments(lines: readonly Line[]): Promise<void> {
  const { data } = await call('get', '/departments', {});
  const wrong = refusalOf(lines, data.find(({ key }) => key === GENERAL)?.name ?? '');
  if (wrong) {
    throw new ToldError(wrong);
  }
  for (const { key, name } of data) {
    if (key !== GENERAL && !lines.some((line) => same(line.name, name))) {
      await call('delete', '/departments/{key}', { path: { key }, query: {} });
    }
  }
  let now = await call('get', '/departments', {});
  const keys: string[] = [];
  for (const line of lines) {
    now = await put(now, line);
    keys.push(...now.data.filter(({ name }) => same(name, line.name)).map(({ key }) => key));
  }
  await call('put', '/departments/order', { body: { keys }, ifMatch: now.version });
}

async function put(now: DepartmentList, line: Line): Promise<DepartmentList> {
  const known = now.data.find(({ name }) => same(name, line.name));
  const { version: ifMatch } = now;
  if (!known) {
    return call('post', '/departments', { body: line, ifMatch });
  }
  const { key } = known;
  const { email } = line;
  return email ? call('patch', '/departments/{key}', { path: { key }, body: { email }, ifMatch }) : now;
}

interface StepProps {
  given: readonly { key: string; name: string }[];
  action: Action;
  /** Null where those that are there stay. */
  onContinue: (lines: readonly Line[] | null) => void;
}

export function DepartmentsStep({ given, action, onContinue }: StepProps) {
  const [own, setOwn] = useState(false);
  const [text, setText] = useState('');
  const name = useId();
  const lines = linesOf(text);
  const names = given.filter(({ key }) => key !== GENERAL).map((one) => one.name);
  const { failure } = action;
  return (
    <Form onSubmit={() => onContinue(own ? lines : null)}>
      <Stack as="fieldset" gap={1} boxed>
        <Text as="legend" className="visually-hidden">
          Reparti
        </Text>
        <Radio name={name} checked={!own} onChange={() => setOwn(false)}>
          Tieni i reparti che ci sono{names.length > 0 ? `: ${names.join(', ')}` : ''}
        </Radio>
        <Radio name={name} checked={own} onChange={() => setOwn(true)}>
          Scrivi i tuoi
        </Radio>
      </Stack>
      {own ? (
        <AreaField
          label="I tuoi reparti, uno per riga"
          hint="Accanto al nome, se c’è già, l’indirizzo: «Cronaca cronaca@esempio.it». Le parole chiave si scrivono poi in Impostazioni, «Reparti»."
          error={failure instanceof ToldError ? failure.message : undefined}
          rows={6}
          value={text}
          onValue={setText}
        />
      ) : null}
      <Send variant="primary" busy={action.busy} blocked={own && lines.length === 0}>
        Continua
      </Send>
    </Form>
  );
}
