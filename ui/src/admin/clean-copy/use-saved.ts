/** The mask as it is saved, and the ways on when another person saved first. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../shared/api/client';
import type { Mask } from '../../shared/api/schema';
import { useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { adopt, keyOf } from '../common/use-read';
import { type Choice, type ChoiceSteps, choiceOf, isEqual } from './use-choice';

export function useSaved(id: string, mask: Mask, onMask: (mask: Mask) => void, steps: ChoiceSteps) {
  const client = useQueryClient();
  const action = useAction();
  const [conflict, setConflict] = useState<Mask | null>(null);
  const dirty = !mask.saved || !isEqual(choiceOf(mask), steps.now);
  const changed = !isEqual(choiceOf(mask), steps.now);
  const path = { id };
  const key = keyOf('/reports/{id}/mask', { path });

  /** Another person saved first: what they cover is shown beside what is covered here. */
  const meet = async (error: unknown) => {
    if (!isProblem(error, 'versione-superata')) {
      throw error;
    }
    setConflict(await call('get', '/reports/{id}/mask', { path }));
    return null;
  };
  const put = async (choice: Choice, { version, textVersion }: Mask) => {
    const { fields, spans, left } = choice;
    const body = { fields: [...fields], spans: [...spans], left: [...left], textVersion };
    try {
      const saved = await call('put', '/reports/{id}/mask', { path, body, ifMatch: version });
      onMask(await adopt(client, key, saved));
      setConflict(null);
      return 'Salvato che cosa è coperto.';
    } catch (error) {
      return meet(error);
    }
  };
  useLeaveGuard(
    changed,
    'Hai cambiato che cosa coprire in questa copia e non l’hai salvato. Se esci adesso, va perso.',
  );
  return {
    ...action,
    dirty,
    conflict,
    meet,
    save: () => void (dirty && action.run(() => put(steps.now, mask))),
    /** Saves this on what another person saved. */
    keep: (choice: Choice, current: Mask) => {
      steps.put(choice);
      onMask(current);
      void action.run(() => put(choice, current));
    },
    take: (current: Mask) => {
      steps.put(choiceOf(current));
      onMask(current);
      setConflict(null);
    },
    /** Begins anew with a text that is another one. */
    reload: () =>
      client
        .resetQueries({ queryKey: keyOf('/reports/{id}') })
        .then(() => client.resetQueries({ queryKey: key })),
  };
}

export type Saved = ReturnType<typeof useSaved>;
