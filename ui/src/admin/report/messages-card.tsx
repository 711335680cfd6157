/** What newsroom and reporter write to each other about a report. Must never lose what was typed when it does not arrive. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../shared/api/client';
import type { MessageList } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { SendKey } from '../../shared/lib/send-key';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Stack, Text } from '../../shared/ui/layout';
import { SelectField } from '../../shared/ui/select';
import { Skeleton } from '../../shared/ui/skeleton';
import { TextArea } from '../../shared/ui/text-input';
import { ActionNews, Send, useAction } from '../common/action';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { pollEvery } from '../common/polling';
import { adopt, useRead } from '../common/use-read';
import { reportKey } from '../desk/changes';
import { useRights } from '../session/session-context';

const keyOf = (id: string) => ['/reports/{id}/messages', { path: { id } }];

export function MessagesCard({ id }: { id: string }) {
  const { edits } = useRights();
  const messages = useRead('/reports/{id}/messages', {
    with: { path: { id } },
    refetchInterval: pollEvery,
    gcTime: 0,
  });
  return (
    <Card title="Messaggi con chi ha segnalato">
      <Loaded
        query={messages}
        part
        loading="Caricamento dei messaggi…"
        failed="Non è stato possibile leggere i messaggi"
        placeholder={<Skeleton lines={2} />}
      >
        {(list) => (
          <Stack gap={4}>
            <Thread list={list} />
            {list.receipt && edits ? <Writing id={id} /> : null}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

function Thread({ list }: { list: MessageList }) {
  if (list.data.length === 0) {
    return (
      <Text tone="muted">
        {list.receipt
          ? 'Nessun messaggio. Chi ha segnalato legge quello che scrivi con il codice della sua ricevuta.'
          : 'Questa segnalazione non ha una ricevuta: chi l’ha inviata non può leggere messaggi.'}
      </Text>
    );
  }
  return (
    <Stack as="ol" lined aria-label="Messaggi">
      {list.data.map(({ from, text, at }) => (
        <li key={`${at} ${from}`}>
          <Text small strong>
            {from === 'redazione' ? 'Redazione' : 'Chi ha segnalato'}
            {' · '}
            <time dateTime={at}>{formatDateTime(at)}</time>
          </Text>
          <Text kept>{text}</Text>
        </li>
      ))}
    </Stack>
  );
}

/** The answers of the settings, by their first words. */
function useTemplates() {
  const { data } = useRead('/settings/desk', { background: true, staleTime: Number.POSITIVE_INFINITY });
  const texts = (data?.replyTemplates ?? '').split(/\n\s*\n/).map((text) => text.trim());
  return texts
    .filter((text) => text !== '')
    .map((value) => ({ value, label: value.length > 60 ? `${value.slice(0, 59)}…` : value }));
}

function Writing({ id }: { id: string }) {
  const client = useQueryClient();
  const templates = useTemplates();
  const action = useAction();
  const [text, setText] = useState('');
  const [key] = useState(() => new SendKey());
  const empty = text.trim() === '';
  useLeaveGuard(!empty, 'Hai scritto un messaggio e non l’hai inviato. Se esci adesso, va perso.');
  const send = async () => {
    const list = await call('post', '/reports/{id}/messages', {
      path: { id },
      body: { text, key: key.of(text) },
    });
    key.arrived();
    await adopt(client, keyOf(id), list, reportKey(id));
    setText('');
    return 'Messaggio inviato.';
  };
  return (
    <Stack
      as="form"
      gap={4}
      aria-label="Scrivi a chi ha segnalato"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!empty) {
          void action.run(send);
        }
      }}
    >
      {templates.length > 0 ? (
        <SelectField
          label="Risposte pronte"
          value=""
          options={[{ value: '', label: 'Scegli…' }, ...templates]}
          onValue={(chosen) => setText(empty ? chosen : `${text}\n\n${chosen}`)}
        />
      ) : null}
      <Field label="Scrivi a chi ha segnalato">
        {(of) => (
          <TextArea
            {...of}
            rows={4}
            maxLength={5000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <ActionNews action={action} failed="Messaggio non inviato" />
      <Stack align="start">
        <Send busy={action.busy} blocked={empty} variant="primary" busyLabel="Invio…">
          Invia il messaggio
        </Send>
      </Stack>
    </Stack>
  );
}
