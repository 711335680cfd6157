/** The departments to begin with. Must keep what was typed until the server has taken all of it. */
import { useId, useState } from 'react';
import { call } from '../../shared/api/client';
import type { DepartmentList } from '../../shared/api/schema';
import { Radio } from '../../shared/ui/checkbox';
import { Form } from '../../shared/ui/form';
import { Stack, Text } from '../../shared/ui/layout';
import { AreaField } from '../../shared/ui/text-field';
import { type Action, Send } from '../common/action';
import { GENERAL } from '../common/departments';
import { isProblem, ToldError } from '../common/errors';

export interface Line {
  name: string;
  email: string;
}

/** A department a line: its name, then the addresses that there are. */
export function linesOf(text: string): Line[] {
  const lines = text.split('\n').map((line) => {
    const addresses = line.match(/[^\s,;:<>()]+@[^\s,;:<>()]+/gu) ?? [];
    const name = addresses.reduce((rest, address) => rest.replace(address, ''), line);
    return { name: name.replace(/^[\s,;:<>()]+|[\s,;:<>()]+$/gu, ''), email: addresses.join(', ') };
  });
  return lines.filter(({ name, email }) => name !== '' || email !== '');
}

const same = (one: string, other: string) => one.localeCompare(other, 'it-IT', { sensitivity: 'base' }) === 0;

/** Makes the list what was typed. Begun again after a refusal, it goes on where it was. */
export async function putDepartments(lines: readonly Line[]): Promise<void> {
  const { data } = await call('get', '/departments', {});
  for (const { key, name } of data) {
    if (key !== GENERAL && !lines.some((line) => same(line.name, name))) {
      await call('delete', '/departments/{key}', { path: { key }, query: {} });
    }
  }
  let now = await call('get', '/departments', {});
  const keys: string[] = [];
  for (const line of lines) {
    now = await put(now, line).catch((error: unknown) => {
      const said = isProblem(error, 'dati-non-validi') ? Object.values(error.errors)[0] : undefined;
      throw said ? new ToldError(`«${line.name || line.email}»: ${said}`) : error;
    });
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
          Tieni i sei reparti di partenza: {names.join(', ')}
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
