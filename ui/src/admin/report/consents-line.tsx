/** What the reporter has consented to, in one line, with the exact words on request. */
import { BadgeCheck } from 'lucide-react';
import type { ReportDetail } from '../../shared/api/schema';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { Text } from '../../shared/ui/layout';
import { CONSENTS } from '../common/consents';
import { type Standing, standingsOf } from './consents';
import { HeadLine } from './head-line';

export function ConsentsLine({ report }: { report: ReportDetail }) {
  const standings = standingsOf(report);
  return standings.length > 0 ? (
    <HeadLine
      icon={<BadgeCheck aria-hidden="true" />}
      title={standings.map(inShort).join(' · ')}
      why="Parole"
      alarming={standings.some(({ word }) => word === 'ritirato')}
    >
      {standings.map(({ kind, word, at, text, asked }) => (
        <section key={kind} aria-label={CONSENTS[kind]}>
          <Text strong>
            {CONSENTS[kind]}: {word}
            {at ? ` il ${formatDateTime(at)}` : ''}
          </Text>
          <Text small tone="muted">
            Chiesto il {formatDateTime(asked)}, con queste parole:
          </Text>
          <Text kept>{text}</Text>
        </section>
      ))}
    </HeadLine>
  ) : null;
}

/** `Voce: sì, 12/11/2026`. */
const inShort = ({ kind, word, at }: Standing) =>
  `${CONSENTS[kind]}: ${word}${at ? `, ${formatDate(at)}` : ''}`;
