import { ChevronLeft, ChevronRight, Minus, Plus, RotateCw } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { NetworkError } from '../../shared/api/errors';
import type { Attachment } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { sizeOf } from '../../shared/lib/file-size';
import { Button, type ButtonProps, buttonClass } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Row, Text } from '../../shared/ui/layout';
import { SelectField } from '../../shared/ui/select';
import { faultOf } from '../common/errors';
import styles from './files.module.css';
import { type FilesProps, fileAddress, isReadable, showOf } from './reading/media';
import { useMade } from './reading/use-made';

const PROGRAM = 'application/x-executable';
/** The types of which the server makes a copy without place, time and device. */
const CLEANED = ['image/jpeg', 'image/png', 'image/webp'];
const KINDS: Readonly<Record<string, string>> = {
  image: 'Foto',
  video: 'Video',
  audio: 'Audio',
  'application/pdf': 'PDF',
  'message/rfc822': 'Email',
  'application/vnd.ms-outlook': 'Email',
  'text/plain': 'Testo',
  'application/zip': 'Archivio',
  [PROGRAM]: 'Programma',
  'application/octet-stream': 'File',
  'application/x-ole-storage': 'File',
};
const UNCLEANED =
  'Il programma ripulisce solo JPEG, PNG e WebP: questo file può dire dove, quando e con quale dispositivo è stato fatto. Se lo scarichi, aprilo su un computer a parte e togli questi dati prima di passarlo ad altri.';
const RUNS =
  'Questo file è un programma: può danneggiare il computer che lo apre. Il contenuto non è stato controllato.';
const SPEEDS = ['0.5', '0.75', '1', '1.25', '1.5', '2'].map((value) => ({
  value,
  label: `${value.replace('.', ',')}×`,
}));
const [SMALLEST, LARGEST] = [0.5, 8];

function kindOf(type: string): string {
  return KINDS[type] ?? KINDS[type.split('/')[0] ?? ''] ?? 'Documento';
}

interface LightboxProps extends FilesProps {
  first: number;
  onClose: () => void;
}

/** One file, large, and the ways to the others. */
export default function Lightbox({ report, received, files, first, onClose }: LightboxProps) {
  const [at, setAt] = useState(first);
  const file = files[at];
  const go = (by: number) => setAt((at + by + files.length) % files.length);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    // In sound and film the arrows move within it.
    if (by && !(event.target instanceof HTMLMediaElement || event.target instanceof HTMLSelectElement)) {
      event.preventDefault();
      go(by);
    }
  };
  if (!file) {
    return null;
  }
  const address = fileAddress(report, file);
  const cleaned = CLEANED.includes(file.type);
  const of = files.length > 1 ? `${at + 1} di ${files.length} · ` : '';
  const came = file.at === received ? '' : `, con il messaggio del ${formatDateTime(file.at)}`;
  return (
    <Dialog
      open
      title={file.name}
      className={styles.lightbox}
      onCancel={onClose}
      onKeyDown={onKeyDown}
      actions={
        <>
          {cleaned ? (
            <a
              className={buttonClass}
              data-variant="secondary"
              href={`${address}?clean=true`}
              download={file.name}
            >
              Copia senza luogo
            </a>
          ) : null}
          <a className={buttonClass} data-variant="secondary" href={address} download={file.name}>
            Scarica
          </a>
          <Button onClick={onClose}>Chiudi</Button>
        </>
      }
    >
      <Text tone="muted" small digits>
        {of}
        {kindOf(file.type)}, {sizeOf(file.size)}
        {came}
      </Text>
      <div className={styles.stage}>
        {files.length > 1 ? (
          <Tool
            label="File precedente"
            title="Precedente (←)"
            icon={<ChevronLeft />}
            onClick={() => go(-1)}
          />
        ) : null}
        <Large key={file.n} file={file} address={address} />
        {files.length > 1 ? (
          <Tool
            label="File successivo"
            title="Successivo (→)"
            icon={<ChevronRight />}
            onClick={() => go(1)}
          />
        ) : null}
      </div>
      {cleaned ? null : <Text small>{file.type === PROGRAM ? RUNS : UNCLEANED}</Text>}
    </Dialog>
  );
}

function Tool({ label, ...button }: ButtonProps & { label: string }) {
  return <Button title={label} {...button} variant="icon" aria-label={label} />;
}

function Large({ file, address }: { file: Attachment; address: string }) {
  const [failed, setFailed] = useState(false);
  const show = showOf(file.type);
  if (isReadable(file.type)) {
    return <Readable file={file} address={address} />;
  }
  const of = { src: address, onError: () => setFailed(true) };
  if (show === null || failed) {
    return (
      <Text tone={failed ? 'danger' : 'muted'} role={failed ? 'alert' : undefined}>
        Questo file non si può mostrare qui: scaricalo.
      </Text>
    );
  }
  return show === 'picture' ? (
    <Picture name={file.name} of={of} />
  ) : (
    <Played show={show} file={file} of={of} />
  );
}

const load = () => import('./reading/reading');

/** The readers of files are loaded as separate chunks. */
function Readable({ file: { name, type, size }, address }: { file: Attachment; address: string }) {
  const { made, failure } = useMade(load, undefined);
  if (failure !== undefined) {
    return (
      <Text tone="danger" role="alert">
        {faultOf(new NetworkError(false, failure)).text}
      </Text>
    );
  }
  return made ? <made.default name={name} type={type} size={size} address={address} /> : null;
}

interface Source {
  src: string;
  onError: () => void;
}

function Picture({ name, of }: { name: string; of: Source }) {
  const [zoom, setZoom] = useState(1);
  const [turns, setTurns] = useState(0);
  return (
    <div className={styles.shown}>
      {/* It scrolls where it is larger than its place, so it must be reached by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section className={styles.frame} tabIndex={0} aria-label="Immagine">
        <img
          {...of}
          alt={name}
          data-turned={turns % 2 === 1 || undefined}
          style={{ zoom, rotate: `${turns * 90}deg` }}
        />
      </section>
      <Row justify="center" gap={1}>
        <Tool
          label="Rimpicciolisci"
          inactive={zoom <= SMALLEST}
          icon={<Minus />}
          onClick={() => setZoom(zoom / 2)}
        />
        <Tool
          label="Ingrandisci"
          inactive={zoom >= LARGEST}
          icon={<Plus />}
          onClick={() => setZoom(zoom * 2)}
        />
        <Tool label="Ruota" icon={<RotateCw />} onClick={() => setTurns((turns + 1) % 4)} />
      </Row>
    </div>
  );
}

function Played({ show, file, of }: { show: 'video' | 'audio'; file: Attachment; of: Source }) {
  const media = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const [speed, setSpeed] = useState('1');
  const Media = show;
  return (
    <div className={styles.shown}>
      <Media ref={media} {...of} controls aria-label={file.name} />
      <SelectField
        label="Velocità"
        value={speed}
        options={SPEEDS}
        onValue={(to) => {
          setSpeed(to);
          if (media.current) {
            media.current.playbackRate = Number(to);
          }
        }}
      />
    </div>
  );
}
