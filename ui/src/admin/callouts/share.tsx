import { Download } from 'lucide-react';
import { Fragment, useEffect, useState } from 'react';
import type { CalloutDetail } from '../../shared/api/schema';
import { type Qr, qrOf } from '../../shared/lib/qr';
import { saveFile } from '../../shared/lib/save-file';
import { Button } from '../../shared/ui/button';
import { Row, Stack } from '../../shared/ui/layout';
import { Failure, useAction } from '../common/action';
import { CopyButton } from '../common/copy-button';
import styles from './callouts.module.css';

/** Pixels of a square of the picture: sharp in a newspaper. */
const STEP = 32;

const DRAWN = {
  SVG: ({ size, path }: Qr) => {
    const shapes = `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/>`;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${shapes}</svg>`;
    return new Blob([drawing], { type: 'image/svg+xml' });
  },
  PNG: ({ size, path }: Qr) => {
    const canvas = new OffscreenCanvas(STEP * size, STEP * size);
    const context = canvas.getContext('2d');
    if (context) {
      context.scale(STEP, STEP);
      context.fillStyle = '#fff';
      context.fillRect(0, 0, size, size);
      context.fillStyle = '#000';
      context.fill(new Path2D(path));
    }
    return canvas.convertToBlob();
  },
} as const;

const addressOf = (slug: string) => `${window.location.host}${import.meta.env.BASE_URL}i/${slug}`;
const linkOf = (slug: string) => `${window.location.protocol}//${addressOf(slug)}`;

interface AddressProps {
  callout: CalloutDetail;
  /** As it is typed. */
  slug: string;
  onChange: () => void;
}

export function Address({ callout: { state }, slug, onChange }: AddressProps) {
  const [site, ...path] = addressOf(slug).split('/');
  return (
    <section aria-label="Indirizzo">
      <h2>Indirizzo</h2>
      <p className={styles.address}>
        {site}
        {path.map((part) => (
          <Fragment key={part}>
            /<wbr />
            {part}
          </Fragment>
        ))}
      </p>
      {state === 'bozza' ? (
        <button type="button" className={styles.jump} onClick={onChange}>
          Si può cambiare fino all’apertura
        </button>
      ) : (
        <CopyButton text={linkOf(slug)} label="Copia il link" />
      )}
    </section>
  );
}

/** How the public comes to it: there from the beginning, so that it can be printed before the opening. */
export function Sharing({ callout: { slug, title, state } }: { callout: CalloutDetail }) {
  const link = linkOf(slug);
  const frame = `allow="microphone" style="width:100%;height:44rem;border:0"`;
  const html = `<iframe src="${link}?embed" title="${title.replace(/["&<>]/g, '')}" ${frame}></iframe>`;
  const [qr, setQr] = useState<Qr | null>(null);
  const { run, ...action } = useAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link
  useEffect(() => void run(async () => setQr(await qrOf(link))), [link]);
  const save = (kind: keyof typeof DRAWN, of: Qr) =>
    run(async () => saveFile(await DRAWN[kind](of), `${slug}.${kind.toLowerCase()}`));
  return (
    <Stack align="start">
      {state === 'bozza' ? <p>Link e codice valgono da quando la apri.</p> : null}
      {qr ? (
        <>
          <svg className={styles.qr} viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label="QR">
            <path d={qr.path} />
          </svg>
          <Row gap={2}>
            {(['PNG', 'SVG'] as const).map((kind) => (
              <Button key={kind} icon={<Download />} about="del QR" onClick={() => void save(kind, qr)}>
                {kind}
              </Button>
            ))}
          </Row>
        </>
      ) : null}
      <Failure of={action} title="Il QR non è disponibile" />
      <CopyButton text={html} label="Copia il codice per un sito" />
      <p>Il codice vale nei siti ammessi in «Chat in un altro sito».</p>
    </Stack>
  );
}
