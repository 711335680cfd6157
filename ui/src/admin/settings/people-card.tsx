/** Who has access by a name of their own: invited, changed and removed here. Must show an invitation once only. */
import { UserPlus } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Checkbox, Radio } from '../../shared/ui/checkbox';
import { Dialog } from '../../shared/ui/dialog';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { type Action, Asked, Failure, useAction } from '../common/action';
import { CopyButton } from '../common/copy-button';
import { useDepartments } from '../common/departments';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { List } from '../common/list/list';
import { Loaded } from '../common/loaded';
import { ROLE_NAMES, type Role, userNameOf } from '../common/people/people';
import { useRead } from '../common/use-read';
import { type Member, usePeopleChanges } from './api';

const ROLES: readonly { role: Role; says: string }[] = [
  { role: 'amministratore', says: 'fa tutto: persone, impostazioni, registro, backup.' },
  { role: 'redattore', says: 'lavora le segnalazioni dei suoi reparti e le esporta.' },
  { role: 'lettore', says: 'legge le segnalazioni dei suoi reparti, senza modificarle.' },
];

const STATES = {
  attiva: { label: 'Attiva', tone: 'green' },
  invitata: { label: 'Invitata', tone: 'yellow' },
  scaduta: { label: 'Invito scaduto', tone: 'red' },
} as const;

/** The form above the list, for a new person or one to be changed; then the resulting link. */
type Open = { form: Member | null } | { link: string; name: string } | null;

export function PeopleCard() {
  const people = useRead('/people');
  const changes = usePeopleChanges();
  const action = useAction();
  const [open, setOpen] = useState<Open>(null);
  const invite = (person: Member) =>
    void action.run(async () => setOpen({ link: await changes.invite(person), name: person.name }));
  const remove = (person: Member) => () =>
    changes.remove(person).then(() => `${person.name} non ha più accesso.`);
  return (
    <Card
      title="Chi ha accesso"
      aside={
        <Button icon={<UserPlus />} onClick={() => setOpen({ form: null })}>
          Aggiungi una persona
        </Button>
      }
    >
      <Loaded
        query={people}
        loading="Caricamento delle persone…"
        failed="Non è stato possibile leggere l’elenco delle persone"
      >
        {({ data }) => (
          <List
            of={data}
            label="Persone"
            empty="Per ora tutti usano la password della redazione. Con un accesso personale si sa chi ha fatto che cosa, e ognuno vede solo i reparti che gli servono."
          >
            {(person) => (
              <Entry key={person.id} person={person}>
                <Button about={person.name} onClick={() => setOpen({ form: person })}>
                  Modifica
                </Button>
                <Button
                  variant="quiet"
                  about={`per ${person.name}`}
                  inactive={action.busy}
                  onClick={() => invite(person)}
                >
                  Nuovo invito
                </Button>
                <Asked
                  of={action}
                  label="Rimuovi"
                  about={person.name}
                  title={`Rimuovere ${person.name}?`}
                  confirmLabel="Rimuovi"
                  variant="quiet"
                  work={remove(person)}
                >
                  <p>Esce subito dal pannello e non può più accedere.</p>
                  <p>
                    Ciò che ha fatto resta, con il suo nome. Le segnalazioni aperte che segue restano da
                    assegnare.
                  </p>
                </Asked>
              </Entry>
            )}
          </List>
        )}
      </Loaded>
      <Failure of={action} title="Modifica non riuscita" />
      {open && 'form' in open ? (
        <PersonDialog
          person={open.form}
          onClose={() => setOpen(null)}
          onDone={(link, name) => setOpen(link ? { link, name } : null)}
        />
      ) : null}
      {open && 'link' in open ? (
        <InvitationDialog link={open.link} name={open.name} onClose={() => setOpen(null)} />
      ) : null}
    </Card>
  );
}

function Entry({ person, children }: { person: Member; children: ReactNode }) {
  const { name, user, role, departments, state, secondFactor, passkeys, lastLogin } = person;
  const { nameOf } = useDepartments();
  const { label, tone } = STATES[state];
  const desks = departments.length > 0 ? departments.map(nameOf).join(', ') : 'Tutti i reparti';
  return (
    <Row as="li" justify="between" gap={2}>
      <Stack gap={1}>
        <Row gap={2}>
          <Text strong>{name}</Text>
          <Text tone="muted" small mono>
            {user}
          </Text>
          <Badge tone={tone}>{label}</Badge>
        </Row>
        <Text tone="muted" small>
          {ROLE_NAMES[role]}
          {role === 'amministratore' ? null : ` · ${desks}`}
          {state === 'attiva' ? ` · Secondo fattore ${secondFactor ? 'attivo' : 'non attivo'}` : null}
          {passkeys > 0 ? ` · ${passkeys} passkey` : null}
          {lastLogin ? ` · Ultimo accesso ${formatDateTime(lastLogin)}` : null}
        </Text>
      </Stack>
      <Row gap={1}>{children}</Row>
    </Row>
  );
}

interface PersonDialogProps {
  person: Member | null;
  onClose: () => void;
  onDone: (link: string | null, name: string) => void;
}

function PersonDialog({ person, onClose, onDone }: PersonDialogProps) {
  const [name, setName] = useState(person?.name ?? '');
  /** Null as long as it follows the name. */
  const [typedUser, setUser] = useState<string | null>(person?.user ?? null);
  const [role, setRole] = useState<Role>(person?.role ?? 'redattore');
  /** Null for all. */
  const [departments, setDepartments] = useState<readonly string[] | null>(
    person && person.departments.length > 0 ? person.departments : null,
  );
  const changes = usePeopleChanges();
  const action = useAction();
  const user = typedUser ?? userNameOf(name);
  const limited = role !== 'amministratore';
  // None ticked would mean all.
  const incomplete = name.trim() === '' || (limited && departments?.length === 0);
  const wrong = errorsOf(action.failure);
  const save = async () => {
    const body = { name, role, departments: limited ? [...(departments ?? [])] : [] };
    const link = await (person
      ? changes.change(person, body).then(() => null)
      : changes.add({ ...body, user }));
    onDone(link, name);
    return link ? null : 'Modifiche salvate.';
  };
  return (
    <FormDialog
      title={person ? person.name : 'Aggiungi una persona'}
      of={action}
      failed={person ? 'Modifica non salvata' : 'Persona non aggiunta'}
      label={person ? 'Salva' : 'Crea l’invito'}
      blocked={incomplete}
      onSubmit={() => action.run(save)}
      onClose={onClose}
    >
      <TextField label="Nome e cognome" error={wrong.name} value={name} onValue={setName} />
      {person ? null : (
        <TextField
          label="Nome utente"
          hint="Serve per accedere; non si cambia più."
          error={wrong.user}
          value={user}
          autoCapitalize="none"
          spellCheck={false}
          onValue={setUser}
        />
      )}
      <RoleChoice value={role} onValue={setRole} wrong={wrong.role} />
      {limited ? (
        <DepartmentChoice value={departments} onValue={setDepartments} wrong={wrong.departments} />
      ) : null}
      {person && (person.secondFactor || person.passkeys > 0) ? (
        <LostFactor person={person} of={action} onDone={() => onDone(null, name)} />
      ) : null}
    </FormDialog>
  );
}

interface ChoiceProps<Value> {
  value: Value;
  onValue: (value: Value) => void;
  wrong: string | undefined;
}

function RoleChoice({ value, onValue, wrong }: ChoiceProps<Role>) {
  const name = useId();
  return (
    <Stack as="fieldset" gap={1} boxed>
      <Text as="legend" strong>
        Ruolo
      </Text>
      {ROLES.map(({ role, says }) => (
        <Radio key={role} name={name} checked={role === value} onChange={() => onValue(role)}>
          <strong>{ROLE_NAMES[role]}</strong>: {says}
        </Radio>
      ))}
      <Text tone="danger" small>
        {wrong}
      </Text>
    </Stack>
  );
}

function DepartmentChoice({ value, onValue, wrong }: ChoiceProps<readonly string[] | null>) {
  const { all } = useDepartments();
  return (
    <Stack as="fieldset" gap={1} boxed>
      <Text as="legend" strong>
        Reparti che vede
      </Text>
      <Checkbox checked={value === null} onChange={(all) => onValue(all ? null : [])}>
        Tutti
      </Checkbox>
      {value === null
        ? null
        : all.map(({ key, name }) => (
            <Checkbox
              key={key}
              checked={value.includes(key)}
              onChange={(on) => onValue(on ? [...value, key] : value.filter((other) => other !== key))}
            >
              {name}
            </Checkbox>
          ))}
      <Text tone={wrong ? 'danger' : 'muted'} small>
        {wrong ?? (value?.length === 0 ? 'Scegline almeno uno.' : null)}
      </Text>
    </Stack>
  );
}

/** A person without telephone and codes gets in again by the password alone. */
function LostFactor({ person, of, onDone }: { person: Member; of: Action; onDone: () => void }) {
  const { change } = usePeopleChanges();
  const drop = async () => {
    await change(person, { secondFactor: false });
    onDone();
    return `${person.name} entra con la sola password.`;
  };
  return (
    <Stack gap={2} align="start" boxed>
      <Text small>
        {person.secondFactor ? 'Secondo fattore attivo.' : 'Entra anche con una passkey.'} Se {person.name} ha
        perso il telefono, toglilo: anche le passkey non fanno più entrare, da subito, e resta la sola
        password. Il registro lo annota.
      </Text>
      <Button inactive={of.busy} onClick={() => void of.run(drop)}>
        {person.secondFactor ? 'Togli il secondo fattore' : 'Togli le passkey'}
      </Button>
    </Stack>
  );
}

interface InvitationDialogProps {
  /** As the server gives it: without an address of its own, a path. */
  link: string;
  name: string;
  onClose: () => void;
}

function InvitationDialog({ link, name, onClose }: InvitationDialogProps) {
  const address = new URL(link, window.location.href).href;
  return (
    <Dialog
      open
      title={`Invito per ${name}`}
      onCancel={onClose}
      actions={
        <>
          <Button onClick={onClose}>Chiudi</Button>
          <CopyButton text={address} label="Copia il link" variant="primary" />
        </>
      }
    >
      <Stack gap={3}>
        <p>Manda questo link a {name}, per una via di cui ti fidi: da lì sceglie la password ed entra.</p>
        <Text mono small whole>
          {address}
        </Text>
        <Text tone="muted" small>
          Vale 72 ore e una volta sola. Non lo vedrai più: se si perde, fai un nuovo invito.
        </Text>
      </Stack>
    </Dialog>
  );
}
