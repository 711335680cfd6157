import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../shared/api/client';
import type { StoryDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Form } from '../../shared/ui/form';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { AreaField, TextField } from '../../shared/ui/text-field';
import { ActionNews, Send } from '../common/action';
import { isProblem } from '../common/errors';
import { RecoveredNotice } from '../common/forms/save-bar';
import { useSavedForm } from '../common/forms/use-saved-form';
import { useLeaveGuard } from '../common/leave-guard';
import { adopt, keyOf } from '../common/use-read';
import { TITLE_CHARS } from './api';

interface Texts {
  title: string;
  note: string;
}

const textsOf = ({ title, note }: StoryDetail): Texts => ({ title, note });

/** The form over title and note as they were when their editing began: newer ones wait until nothing would be mixed with them. */
function useTexts(story: StoryDetail) {
  const client = useQueryClient();
  const [held, setHeld] = useState(story);
  const saved = useMemo(() => textsOf(held), [held]);
  const path = { id: story.id };
  const key = keyOf('/stories/{id}', { path });
  const form = useSavedForm<Texts>({
    name: `story ${story.id}`,
    saved,
    send: async (body) => {
      try {
        const now = await call('patch', '/stories/{id}', { path, body, ifMatch: held.version });
        return textsOf(await adopt(client, key, now, keyOf('/stories')));
      } catch (error) {
        if (isProblem(error, 'versione-superata')) {
          await client.invalidateQueries({ queryKey: key });
        }
        throw error;
      }
    },
    success: 'Storia salvata.',
  });
  const overtaken = isProblem(form.failure, 'versione-superata');
  if (held !== story && (!form.dirty || overtaken)) {
    setHeld(story);
  }
  return { form, held, overtaken };
}

/** Title and note of a story; what is typed is never lost to what somebody else saves. */
export function StoryTexts({ story }: { story: StoryDetail }) {
  const { form, held, overtaken } = useTexts(story);
  const { title, note } = form.form.watch();
  const { errors } = form.form.formState;
  const { busy, dirty } = form;
  const save = () => void form.save();
  useLeaveGuard(dirty, 'Hai modificato la storia. Se esci adesso, le modifiche vanno perse.');
  return (
    <Card title="Titolo e note">
      <Form label="Titolo e note" onSubmit={save}>
        <Stack ref={form.area}>
          <RecoveredNotice form={form} />
          <TextField
            label="Titolo"
            error={errors.title?.message}
            value={title}
            maxLength={TITLE_CHARS}
            onValue={(text) => form.type({ title: text })}
          />
          <AreaField
            label="Note"
            placeholder="Aggiungi note per il team..."
            rows={3}
            error={errors.note?.message}
            value={note}
            onValue={(text) => form.type({ note: text })}
          />
          {overtaken ? (
            <Message
              kind="error"
              title="Un’altra persona ha salvato prima di te"
              actions={
                <>
                  <Button inactive={busy} onClick={save}>
                    Mantieni le mie modifiche
                  </Button>
                  <Button inactive={busy} onClick={form.discard}>
                    Usa la versione salvata
                  </Button>
                </>
              }
            >
              <Text kept>{`Ora: «${held.title}»\n${held.note || 'Nessuna nota'}`}</Text>
            </Message>
          ) : null}
          <Row>
            <Send busy={busy} blocked={!dirty} busyLabel="Salvataggio...">
              Salva
            </Send>
          </Row>
          <ActionNews action={overtaken ? { ...form, failure: null } : form} failed="Storia non salvata" />
        </Stack>
      </Form>
    </Card>
  );
}
