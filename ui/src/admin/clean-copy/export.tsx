/** What leaves of a report under its mask: a PDF, an archive with files, or a text to paste. */
import { useQueryClient } from '@tanstack/react-query';
import { Copy, Files as FilesIcon, FileText } from 'lucide-react';
import { useState } from 'react';
import { addressOf, call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { Attachment, Mask, ReportDetail } from '../../shared/api/schema';
import { saveFile } from '../../shared/lib/save-file';
import { counted } from '../../shared/lib/text';
import { Card } from '../../shared/ui/card';
import { Checkbox } from '../../shared/ui/checkbox';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextArea } from '../../shared/ui/text-input';
import { Failure, Send, useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { openFile, receive } from '../common/downloads';
import { errorsOf, isProblem } from '../common/errors';
import { keyOf } from '../common/use-read';
import type { Saved } from './use-saved';

interface ExportProps {
  report: ReportDetail;
  mask: Mask;
  saved: Saved;
  /** Proposals that were not looked at. */
  open: number;
}

/** Pictures of which the server makes a copy without place, time and device. */
const CLEANED = ['image/jpeg', 'image/png', 'image/webp'];

export function Export({ report, mask, saved, open }: ExportProps) {
  const [ticked, setTicked] = useState<readonly number[]>([]);
  const [byHand, setByHand] = useState('');
  const action = useAction();
  const client = useQueryClient();
  const { productName } = useBranding();
  const path = { id: report.id };
  const blocked = saved.dirty;
  /** It leaves once the server has noted that it does; the history shows it. */
  const noted = () =>
    client.invalidateQueries({ queryKey: keyOf('/reports/{id}', { path }), refetchType: 'none' });
  const inWords = async () => {
    const copy = await call('post', '/reports/{id}/redacted', { path, ifMatch: mask.version });
    void noted();
    return copy;
  };
  const pdf = async () => {
    const { makeCleanCopy } = await import('../pdf/make-record').catch((error: unknown) => {
      throw new NetworkError(false, error);
    });
    saveFile(await makeCleanCopy(await inWords(), productName), 'copia-oscurata.pdf');
    return 'PDF scaricato.';
  };
  const zip = async () => {
    const query = { attachments: ticked.join(',') };
    const answer = await openFile(
      addressOf('/reports/{id}/redacted.zip', { path, query }),
      new AbortController().signal,
      mask.version,
    );
    const { file, name } = await receive(answer, () => undefined);
    saveFile(file, name);
    void noted();
    return 'ZIP scaricato.';
  };
  const text = async () => {
    const copy = await inWords();
    const copied = await navigator.clipboard?.writeText(copy.text).then(
      () => true,
      () => false,
    );
    setByHand(copied ? '' : copy.text);
    return copied ? 'Testo copiato.' : null;
  };
  const leave = (act: () => Promise<string | null>) => () =>
    void action.run(() => act().catch((error: unknown) => saved.meet(error)));
  const refused = errorsOf(action.failure);
  return (
    <Card title="Che cosa esce">
      <Stack>
        {report.attachments.length > 0 ? (
          <Stack role="group" aria-label="File nello ZIP" gap={1}>
            <Text tone="muted" small>
              File nello ZIP, con un numero al posto del nome.
            </Text>
            {report.attachments.map((file) => (
              <FileTick
                key={file.n}
                file={file}
                error={refused[`attachments.${file.n}`]}
                checked={ticked.includes(file.n)}
                onChange={(checked) =>
                  setTicked(checked ? [...ticked, file.n] : ticked.filter((n) => n !== file.n))
                }
              />
            ))}
          </Stack>
        ) : null}
        <Text small>
          Non nasconde il modo di scrivere, i dettagli che sanno in pochi, né ciò che si vede o si sente nei
          file.
        </Text>
        {blocked ? <Text tone="muted">Prima salva: esce ciò che è salvato.</Text> : null}
        {!blocked && open > 0 ? (
          <Text tone="warning">
            {counted(open, 'proposta non è stata guardata', 'proposte non sono state guardate')}.
          </Text>
        ) : null}
        <Row gap={2}>
          <Send busy={action.busy} blocked={blocked} icon={<FileText />} onClick={leave(pdf)}>
            PDF
          </Send>
          <Send busy={action.busy} blocked={blocked} icon={<FilesIcon />} onClick={leave(zip)}>
            ZIP
          </Send>
          <Send busy={action.busy} blocked={blocked} icon={<Copy />} onClick={leave(text)}>
            Copia il testo
          </Send>
        </Row>
        <Failure of={action} title="La copia non è uscita">
          {isProblem(action.failure, 'dati-non-validi') ? <p>{Object.values(refused).join(' ')}</p> : null}
        </Failure>
        {byHand ? (
          <Field label="Il browser non l’ha copiato: copialo da qui">
            {(control) => <TextArea {...control} readOnly rows={8} value={byHand} />}
          </Field>
        ) : null}
      </Stack>
    </Card>
  );
}

interface FileTickProps {
  file: Attachment;
  error: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function FileTick({ file, error, checked, onChange }: FileTickProps) {
  const cleaned = CLEANED.includes(file.type);
  const stays = !cleaned && file.type.startsWith('image/');
  const warning = stays
    ? 'Resta fuori: da questa foto luogo e data non si tolgono. Convertila in JPEG e mandala a parte.'
    : 'Esce com’è: può dire chi l’ha fatto, dove e quando.';
  return (
    <div>
      <Checkbox checked={checked} disabled={stays} onChange={onChange}>
        {file.n}. {file.name}
        <Text as="span" small tone={cleaned ? 'muted' : 'warning'} style={{ display: 'block' }}>
          {cleaned ? 'Foto senza luogo, data e dispositivo. Ciò che si vede resta.' : warning}
        </Text>
      </Checkbox>
      {error ? <Text tone="danger">{error}</Text> : null}
    </div>
  );
}
