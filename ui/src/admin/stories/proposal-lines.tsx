/** The reports of a proposal, a line each: who stays in, what they share, and on request the whole account. */
import { Paperclip } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { Fact, Facts } from '../../shared/ui/facts';
import { Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Age, MINUTE_MS } from '../common/list/age';
import { Marked } from '../common/list/marked';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { useNow } from '../common/use-now';
import { useRead } from '../common/use-read';
import type { Proposal } from './api';
import styles from './proposal.module.css';

interface LinesProps {
  of: Proposal;
  without: readonly string[];
  onToggle: (id: string) => void;
  onEscape: () => void;
}

export function ProposalLines({ of: { heads }, without, onToggle, onEscape }: LinesProps) {
  const { edits } = useRights();
  const now = useNow(MINUTE_MS);
  const [reading, setReading] = useState<string | null>(null);
  return (
    <ul
      className={styles.lines}
      aria-label="Segnalazioni della proposta"
      onKeyDown={({ key }) => key === 'Escape' && onEscape()}
    >
      {heads.map((head) => {
        const { id, attachments, excerpt, marks, data_creazione } = head;
        const [name, out, open] = [reporterName(head), without.includes(id), reading === id];
        return (
          <li key={id} data-out={out || undefined}>
            {edits ? (
              <label className={styles.tick}>
                <input type="checkbox" checked={!out} onChange={() => onToggle(id)} />
                <span className="visually-hidden">{name}: nella storia</span>
              </label>
            ) : null}
            <button
              type="button"
              className={styles.line}
              aria-expanded={open}
              onClick={() => setReading(open ? null : id)}
            >
              <span className={styles.who}>
                <span className={styles.name}>{name}</span>
                {attachments > 0 ? (
                  <span title={`${attachments} file`}>
                    <Paperclip aria-hidden="true" />
                    {attachments}
                    <span className="visually-hidden"> file</span>
                  </span>
                ) : null}
                {out ? <span>resta fuori</span> : null}
              </span>
              <span className={styles.excerpt}>
                <Marked text={excerpt} search={marks} />
              </span>
            </button>
            <Age instant={data_creazione} now={now} />
            {open ? <Account id={id} search={marks} /> : null}
          </li>
        );
      })}
    </ul>
  );
}

/** The whole account, in place: what was begun on the proposal stays. */
function Account({ id, search }: { id: string; search: string }) {
  // As on its page: opening it again is a new reading, and is logged as one.
  const report = useRead('/reports/{id}', { with: { path: { id } }, gcTime: 0 });
  return (
    <div className={styles.account}>
      <Loaded
        query={report}
        loading="Caricamento della segnalazione…"
        failed="Non è stato possibile aprire la segnalazione"
        placeholder={<Skeleton lines={4} />}
        part
      >
        {({ segnalazione, risposte }) => (
          <>
            {risposte.length > 0 ? (
              <Facts>
                {risposte.map(({ key, question, text }) => (
                  <Fact key={key} name={question} wide>
                    <Marked text={text} search={search} />
                  </Fact>
                ))}
              </Facts>
            ) : null}
            <Text kept>
              <Marked text={segnalazione} search={search} />
            </Text>
            <Link to={paths.report(id)} target="_blank">
              Apri la segnalazione<span className="visually-hidden"> (in un’altra scheda)</span>
            </Link>
          </>
        )}
      </Loaded>
    </div>
  );
}
