import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../shared/api/client';
import type { Story } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Form } from '../../shared/ui/form';
import { Row, Text } from '../../shared/ui/layout';
import { AreaField, TextField } from '../../shared/ui/text-field';
import { Failure, Send } from '../common/action';
import { isProblem } from '../common/errors';
import { RecoveredNotice } from '../common/forms/save-bar';
import { useSavedForm } from '../common/forms/use-saved-form';
import { useLeaveGuard } from '../common/leave-guard';
import { adopt, keyOf } from '../common/use-read';

const textsOf = ({ title, note = '' }: Story) => ({ title, note });

/** Title and note of a story, as they were when their editing began: newer ones wait until nothing would be mixed with them. */
export function StoryTexts({ story }: { story: Story }) {
  const client = useQueryClient();
  const [held, setHeld] = useState(story);
  const saved = useMemo(() => textsOf(held), [held]);
  const path = { id: story.id };
  const key = keyOf('/stories/{id}', { path });
  const form = useSavedForm({
    name: `story ${story.id}`,
    saved,
    send: async (body) => {
      const change = call('patch', '/stories/{id}', { path, body, ifMatch: held.version });
      const now = await change.catch(async (error: unknown) => {
        await client.invalidateQueries({ queryKey: key });
        throw error;
      });
      return textsOf(await adopt(client, key, now, keyOf('/stories')));
    },
    success: 'Storia salvata.',
  });
  const overtaken = isProblem(form.failure, 'versione-superata');
  if (held !== story && (!form.dirty || overtaken)) {
    setHeld(story);
  }
  const { title, note } = form.form.watch();
  const { errors } = form.form.formState;
  useLeaveGuard(form.dirty, 'Hai modificato la storia. Se esci adesso, le modifiche vanno perse.');
  return (
    <Card title="Titolo e note">
      <Form label="Titolo e note" onSubmit={() => void form.save()}>
        <RecoveredNotice form={form} />
        <TextField
          label="Titolo"
          error={errors.title?.message}
          value={title}
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
        <Failure
          of={form}
          title={overtaken ? 'Un’altra persona ha salvato prima di te' : 'Storia non salvata'}
        >
          {overtaken ? (
            <>
              <Text kept>{`Ora c’è «${held.title}»: ${held.note || 'nessuna nota'}`}</Text>
              <p>Il tuo testo resta qui: «Salva» lo mette al posto di quello.</p>
              <Button onClick={form.discard}>Usa la versione salvata</Button>
            </>
          ) : undefined}
        </Failure>
        <Row>
          <Send busy={form.busy} blocked={!form.dirty} busyLabel="Salvataggio...">
            Salva
          </Send>
        </Row>
      </Form>
    </Card>
  );
}
