/** The code, as people type it from paper: how it is written is the server's to forgive. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Receipt } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';
import { open, reasonOf } from './visit';

export function CodeForm({ reason, onReceipt }: { reason: string; onReceipt: (receipt: Receipt) => void }) {
  const [code, setCode] = useState('');
  const [failure, setFailure] = useState(reason);
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setFailure(reason), [reason]);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) {
      return;
    }
    setBusy(true);
    setFailure('');
    try {
      onReceipt(await open(code));
    } catch (error) {
      setFailure(reasonOf(error));
      setBusy(false);
      box.current?.focus();
    }
  };
  return (
    <Card>
      <Stack as="form" onSubmit={send} gap={4} align="start">
        <Field
          label="Il tuo codice"
          hint="Lo hai visto alla fine della segnalazione: 20 lettere e cifre. Maiuscole, spazi e trattini non contano."
          error={failure}
        >
          {(control) => (
            <TextInput
              {...control}
              ref={box}
              value={code}
              onChange={(event) => setCode(event.target.value)}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={100}
              placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
            />
          )}
        </Field>
        <Button type="submit" variant="primary" inactive={busy}>
          {busy ? 'Attendi…' : 'Apri'}
        </Button>
      </Stack>
    </Card>
  );
}
