import { useState } from 'react';
import { Card } from '../../shared/ui/card';
import { Checkbox } from '../../shared/ui/checkbox';
import { Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { ActionNews, useAction } from '../common/action';
import { List, Time } from '../common/list';
import { Loaded } from '../common/loaded';
import { useRead } from '../common/use-read';
import { useRights } from '../session/session-context';
import { useMessages, useSendMessage } from './api';
import { Writing } from './writing';

/** Names the box in which a reporter is written to. */
const BOX = 'scrivi-a-chi-ha-segnalato';

export function goToMessages() {
  const box = document.querySelector<HTMLTextAreaElement>(`#${BOX} textarea`);
  box?.scrollIntoView({ block: 'center' });
  box?.focus({ preventScroll: true });
}

export function MessagesCard({ id, withdrawal = false }: { id: string; withdrawal?: boolean }) {
  const { edits } = useRights();
  const action = useAction();
  const messages = useMessages(id);
  const sendMessage = useSendMessage(id);
  const [ticked, setTicked] = useState(false);
  const closes = withdrawal && ticked;
  const templates = useTemplates(edits && messages.data?.receipt === true);
  return (
    <Card title="Messaggi con chi ha segnalato">
      <Loaded
        query={messages}
        part
        loading="Caricamento dei messaggi…"
        failed="Non è stato possibile leggere i messaggi"
        placeholder={<Skeleton lines={2} />}
      >
        {({ data, receipt }) => (
          <Stack gap={4}>
            <List
              as="ol"
              of={data}
              label="Messaggi"
              empty={
                receipt
                  ? 'Nessun messaggio. Chi ha segnalato legge quello che scrivi con il codice della sua ricevuta.'
                  : 'Questa segnalazione non ha una ricevuta: chi l’ha inviata non può leggere messaggi.'
              }
            >
              {({ from, text, at }) => (
                <li key={`${at} ${from}`}>
                  <Text small strong>
                    {from === 'redazione' ? 'Redazione' : 'Chi ha segnalato'} · <Time at={at} />
                  </Text>
                  <Text kept>{text}</Text>
                </li>
              )}
            </List>
            {receipt && edits ? (
              <div id={BOX}>
                <Writing
                  label="Scrivi a chi ha segnalato"
                  send={closes ? 'Rispondi e chiudi la richiesta' : 'Invia il messaggio'}
                  loss="Hai scritto un messaggio e non l’hai inviato. Se esci adesso, va perso."
                  templates={templates}
                  action={action}
                  onSend={(text, key) => sendMessage(text, key, closes).then(() => 'Messaggio inviato.')}
                >
                  {withdrawal ? (
                    <Checkbox checked={ticked} onChange={setTicked}>
                      Risponde alla richiesta di ritirare tutto
                    </Checkbox>
                  ) : null}
                </Writing>
              </div>
            ) : null}
          </Stack>
        )}
      </Loaded>
      <ActionNews action={action} failed="Messaggio non inviato" />
    </Card>
  );
}

function useTemplates(enabled: boolean) {
  const forever = { background: true, staleTime: Number.POSITIVE_INFINITY };
  const { data } = useRead('/settings/desk', { ...forever, enabled });
  const texts = (data?.replyTemplates ?? '').split(/\n\s*\n/).map((text) => text.trim());
  return texts
    .filter((text) => text !== '')
    .map((value) => ({ value, label: value.length > 60 ? `${value.slice(0, 59)}…` : value }));
}
