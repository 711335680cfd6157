import { useState } from 'react';
import { addressOf } from '../../shared/api/client';
import type { Attachment } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { sizeOf } from '../../shared/lib/file-size';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import styles from './attachments-card.module.css';

const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];

/** Of these the server makes a copy without place, time and device. */
const CLEANED = ['image/jpeg', 'image/png', 'image/webp'];

type Show = 'picture' | 'video' | 'audio' | null;

function showOf(type: string): Show {
  if (PICTURES.includes(type)) {
    return 'picture';
  }
  const [kind] = type.split('/');
  return kind === 'video' || kind === 'audio' ? kind : null;
}

const KINDS: Readonly<Record<string, string>> = { image: 'Foto', video: 'Video', audio: 'Audio' };

function kindOf(type: string): string {
  return KINDS[type.split('/')[0] ?? ''] ?? (type === 'application/pdf' ? 'PDF' : 'Documento');
}

function Shown({ show, file, address }: { show: NonNullable<Show>; file: Attachment; address: string }) {
  const [failed, setFailed] = useState(false);
  const fail = () => setFailed(true);
  if (failed) {
    return (
      <Text tone="danger" role="alert">
        Questo file non si può mostrare qui: scaricalo.
      </Text>
    );
  }
  switch (show) {
    case 'picture':
      return <img className={styles.shown} src={address} alt={file.name} onError={fail} />;
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: a reporter's film has no captions
      return <video className={styles.shown} src={address} controls aria-label={file.name} onError={fail} />;
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: a reporter's recording has no captions
      return <audio className={styles.shown} src={address} controls aria-label={file.name} onError={fail} />;
  }
}

function Entry({ report, received, file }: { report: string; received: string; file: Attachment }) {
  const [open, setOpen] = useState(false);
  const address = addressOf('/reports/{id}/attachments/{n}', { path: { id: report, n: file.n } });
  const show = showOf(file.type);
  return (
    <Stack as="li" gap={2}>
      <Row justify="between" gap={2}>
        <div>
          <Text strong>{file.name}</Text>
          <Text tone="muted" small digits>
            {kindOf(file.type)}, {sizeOf(file.size)}
            {file.at === received ? null : `, con il messaggio del ${formatDateTime(file.at)}`}
          </Text>
        </div>
        <Row gap={2}>
          {show ? (
            <Button about={file.name} aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Nascondi' : 'Mostra'}
            </Button>
          ) : null}
          {CLEANED.includes(file.type) ? (
            <a
              className={buttonClass}
              data-variant="secondary"
              href={`${address}?clean=true`}
              download={file.name}
            >
              Copia senza luogo<span className="visually-hidden"> {file.name}</span>
            </a>
          ) : null}
          <a className={buttonClass} data-variant="secondary" href={address} download={file.name}>
            Scarica<span className="visually-hidden"> {file.name}</span>
          </a>
        </Row>
      </Row>
      {CLEANED.includes(file.type) ? null : (
        <Text small>
          Il programma ripulisce solo JPEG, PNG e WebP: questo file può dire dove, quando e con quale
          dispositivo è stato fatto. Se lo scarichi, aprilo su un computer a parte e togli questi dati prima
          di passarlo ad altri.
        </Text>
      )}
      {open && show ? <Shown show={show} file={file} address={address} /> : null}
    </Stack>
  );
}

type Props = {
  report: string;
  received: string;
  files: readonly Attachment[];
  zip: boolean;
};

export function AttachmentsCard({ report, received, files, zip }: Props) {
  return files.length > 0 ? (
    <Card
      title="Allegati"
      aside={
        zip ? (
          <a
            className={buttonClass}
            data-variant="secondary"
            href={addressOf('/reports/{id}/dossier.zip', { path: { id: report } })}
            download
          >
            Scarica tutto (ZIP)
          </a>
        ) : null
      }
    >
      <Stack as="ul" lined>
        {files.map((file) => (
          <Entry key={file.n} report={report} received={received} file={file} />
        ))}
      </Stack>
    </Card>
  ) : null;
}
