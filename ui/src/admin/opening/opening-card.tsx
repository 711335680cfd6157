/** The open points before the public comes, in one line over the first report. Hidden by its cross, it is back tomorrow. */
import { X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { ownKey } from '../../shared/lib/boot';
import { now } from '../../shared/lib/clock';
import { dayOf } from '../../shared/lib/dates';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { Button } from '../../shared/ui/button';
import { paths } from '../common/paths';
import { useRead } from '../common/use-read';
import styles from './opening-card.module.css';

export const OPENINGS = [
  'posta',
  'reparti',
  'domande',
  'recapiti',
  'promesse',
  'backup',
  'amministratore',
] as const;

export type Opening = (typeof OPENINGS)[number];

const MISSING: Readonly<Record<Opening, string>> = {
  posta: 'l’email',
  reparti: 'i reparti',
  domande: 'le domande',
  recapiti: 'un’altra via',
  promesse: 'le promesse',
  backup: 'il backup',
  amministratore: 'un secondo amministratore',
};

const LIST = new Intl.ListFormat('it-IT', { type: 'conjunction' });

const place = () => [openStore('localStorage'), ownKey('opening')] as const;

export function OpeningCard() {
  const { opening = [] } = useRead('/system/alerts', { background: true }).data ?? {};
  const today = dayOf(now());
  const [hidden, setHidden] = useState(() => readJson(...place()));
  const open = OPENINGS.filter((point) => opening.includes(point));
  if (open.length === 0 || hidden === today) {
    return null;
  }
  const done = OPENINGS.length - open.length;
  const missing = `${open.length === 1 ? 'manca' : 'mancano'} ${LIST.format(open.map((point) => MISSING[point]))}`;
  const hide = () => {
    setHidden(today);
    writeJson(...place(), today);
  };
  return (
    <aside className={styles.card} aria-label="Prima di aprire">
      <b>Prima di aprire</b>
      <progress max={OPENINGS.length} value={done} aria-label="Punti decisi" />
      <p title={missing}>{`${done} di ${OPENINGS.length} · ${missing}`}</p>
      <Link to={paths.opening}>Continua</Link>
      <Button variant="icon" title="Nascondi fino a domani" icon={<X />} onClick={hide}>
        <span className="visually-hidden">Nascondi fino a domani</span>
      </Button>
    </aside>
  );
}
