/** Asks the reporter for a consent: they alone give it, with their code. */
import { useState } from 'react';
import type { ConsentKind, ReportDetail } from '../../shared/api/schema';
import { Text } from '../../shared/ui/layout';
import { SelectField } from '../../shared/ui/select';
import { AreaField } from '../../shared/ui/text-field';
import { useAction } from '../common/action';
import { CONSENT_KINDS, CONSENTS } from '../common/consents';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { useToast } from '../common/toast';
import { useMessageChanges } from './api';
import { CONSENT_TEXTS } from './consents';

const KINDS = CONSENT_KINDS.map((value) => ({ value, label: CONSENTS[value] }));

export default function ConsentDialog({ report, onClose }: { report: ReportDetail; onClose: () => void }) {
  const { id, nome } = report;
  const [kind, setKind] = useState<ConsentKind>('ricontatto');
  /** The words of each kind that were changed. */
  const [typed, setTyped] = useState<Partial<Record<ConsentKind, string>>>({});
  const text = typed[kind] ?? CONSENT_TEXTS[kind];
  const { ask } = useMessageChanges(id);
  const { show } = useToast();
  const action = useAction();
  const wrong = errorsOf(action.failure);
  const send = async () => {
    const undo = await ask(kind, text);
    onClose();
    show({ text: `Consenso chiesto a ${nome || 'chi ha segnalato'}: ${CONSENTS[kind]}`, undo });
  };
  return (
    <FormDialog
      title="Chiedi un consenso"
      of={action}
      failed="Consenso non chiesto"
      label="Chiedi"
      blocked={text.trim() === ''}
      onSubmit={() => action.run(send)}
      onClose={onClose}
    >
      <SelectField label="A che cosa" error={wrong.kind} options={KINDS} value={kind} onValue={setKind} />
      <AreaField
        label="Con queste parole"
        hint="Restano scritte così, accanto alla risposta."
        error={wrong.text}
        rows={8}
        value={text}
        onValue={(words) => setTyped({ ...typed, [kind]: words })}
      />
      <Text small tone="muted">
        Lo dà, lo nega e lo ritira solo chi ha il codice della segnalazione.
      </Text>
    </FormDialog>
  );
}
