import { File, FileArchive, FileText, Film, Image, Mail, Mic } from 'lucide-react';
import { useState } from 'react';
import type { Attachment } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';
import { Opener } from '../common/opener';
import styles from './files.module.css';
import { type FilesProps, fileAddress, showOf } from './reading/media';

/** A larger picture is shown only when it is asked for: 15 MiB. */
const PREVIEW_BYTES = 15 * 1024 * 1024;

const ICONS = { picture: Image, video: Film, audio: Mic };
const OTHERS: Readonly<Record<string, typeof File>> = {
  'application/zip': FileArchive,
  'message/rfc822': Mail,
  'application/octet-stream': File,
};

function Preview({ report, file }: { report: string; file: Attachment }) {
  const [failed, setFailed] = useState(false);
  const show = showOf(file.type);
  const Icon = show ? ICONS[show] : (OTHERS[file.type] ?? FileText);
  return (
    <span className={styles.preview} aria-hidden="true">
      {show === 'picture' && file.size <= PREVIEW_BYTES && !failed ? (
        <img
          src={`${fileAddress(report, file)}?preview=true`}
          alt=""
          loading="lazy"
          onError={() => setFailed(true)}
        />
      ) : (
        <Icon aria-hidden="true" />
      )}
      {file.type === 'application/pdf' ? <span>PDF</span> : null}
    </span>
  );
}

const load = () => import('./lightbox');

/** The files as a strip of small pictures; each opens large, with the others beside it. */
export function Files({ report, received, files }: FilesProps) {
  return files.length > 0 ? (
    <section aria-labelledby="allegati">
      <h2 id="allegati" className="visually-hidden">
        Allegati: {counted(files.length, 'file', 'file')}
      </h2>
      <ul className={styles.strip}>
        {files.map((file, first) => (
          <li key={file.n}>
            <Opener
              load={load}
              props={{ report, received, files, first }}
              variant="quiet"
              icon={<Preview report={report} file={file} />}
              title={file.name}
            >
              <span className="visually-hidden">Apri </span>
              <span className={styles.cut}>{file.name}</span>
            </Opener>
          </li>
        ))}
      </ul>
    </section>
  ) : null;
}
