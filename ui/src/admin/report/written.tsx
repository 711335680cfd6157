/** What newsroom and reporter have said to each other: messages, questions with their answers, consents. */
import { Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CalloutQuestion, DeskMessage, ReportDetail } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';
import { Fact } from '../../shared/ui/facts';
import { Text } from '../../shared/ui/layout';
import { CONSENTS } from '../common/consents';
import { firstName } from '../common/moment';
import { Moment } from '../common/moment-tag';
import { Face } from '../common/people/face';
import { reporterName } from '../common/reporter-name';
import { useMessages } from './api';
import { filesAt } from './history';
import page from './report.module.css';
import styles from './stream.module.css';

export interface Entry {
  key: string;
  at: string;
  /** As it is told where it is folded away. */
  short: string;
  /** The speaker, where it is another person. */
  by?: 'reporter' | 'colleague';
  node: ReactNode;
}

/** When either side last said something. */
export const lastWordOf = (messages: readonly DeskMessage[]): string | undefined =>
  messages
    .flatMap(({ at, answers, consent }) => [at, answers?.at ?? at, consent?.answered ?? at])
    .sort()
    .at(-1);

export function useWritten(report: ReportDetail): Entry[] {
  const messages = useMessages(report.id).data?.data ?? [];
  return messages.flatMap((message) => [
    message.from === 'redazione' ? asked(report, message) : told(report, message),
    ...(message.answers ? [answered(report, message, message.answers)] : []),
  ]);
}

function asked(
  report: ReportDetail,
  { id, text, at, author, questions, answers, consent }: DeskMessage,
): Entry {
  const name = author?.name;
  return {
    key: `message ${id}`,
    at,
    short: `messaggio di ${name ? firstName(name) : 'redazione'}`,
    node: (
      <Said way="out" name={name} whom={`a ${report.nome || 'chi ha segnalato'}`} at={at}>
        <Text kept>{text}</Text>
        {answers ? (
          <Text small tone="muted">
            {counted(questions.length, 'domanda', 'domande')}: ha risposto <Moment at={answers.at} />
          </Text>
        ) : (
          <Waiting questions={questions} />
        )}
        {consent ? (
          <Text small tone="muted">
            Consenso: {CONSENTS[consent.kind].toLowerCase()} · {standing(consent)}
          </Text>
        ) : null}
      </Said>
    ),
  };
}

/** Questions that nobody has answered yet. */
function Waiting({ questions }: { questions: readonly CalloutQuestion[] }) {
  return questions.length > 0 ? (
    <>
      <ol aria-label="Domande">
        {questions.map(({ key, text }, at) => (
          <li key={key}>{`${at + 1}. ${text}`}</li>
        ))}
      </ol>
      <Text small tone="muted">
        Non ha ancora risposto
      </Text>
    </>
  ) : null;
}

function standing({ given, givenAt, answered: at }: NonNullable<DeskMessage['consent']>): ReactNode {
  if (given === null) {
    return 'non ha ancora risposto';
  }
  return (
    <>
      {given ? 'sì' : givenAt ? 'ritirato' : 'no'}, {at ? <Moment at={at} /> : null}
    </>
  );
}

/** In the words of the reporter: what was asked is small, what was answered is theirs. */
function answered(
  report: ReportDetail,
  { id, questions }: DeskMessage,
  { at, data }: NonNullable<DeskMessage['answers']>,
): Entry {
  const answerTo = (key: string) => data.find((one) => one.key === key)?.text;
  return {
    key: `answers ${id}`,
    at,
    by: 'reporter',
    short: `risposte di ${report.nome || 'chi ha segnalato'}`,
    node: (
      <Told report={report} at={at}>
        <div className={page.answers}>
          <dl aria-label="Risposte">
            {questions.map(({ key, text }) => (
              <Fact key={key} name={text}>
                {answerTo(key) ?? <i>Saltata</i>}
              </Fact>
            ))}
          </dl>
        </div>
      </Told>
    ),
  };
}

function told(report: ReportDetail, { id, text, at }: DeskMessage): Entry {
  const along = filesAt(report, at);
  return {
    key: `message ${id}`,
    at,
    by: 'reporter',
    short: `messaggio di ${report.nome || 'chi ha segnalato'}`,
    node: (
      <Told report={report} at={at}>
        <p>{text}</p>
        {along ? (
          <Text small tone="muted">
            Con {along}
          </Text>
        ) : null}
      </Told>
    ),
  };
}

function Told({ report, at, children }: { report: ReportDetail; at: string; children: ReactNode }) {
  return (
    <div className={styles.told}>
      <Mail aria-hidden="true" />
      <div>
        <p className={styles.by}>
          <b>{report.nome || reporterName(report)}</b>
          <Moment at={at} />
        </p>
        {children}
      </div>
    </div>
  );
}

interface SaidProps {
  way: 'in' | 'out';
  /** Of a member of the newsroom; without it the shared password wrote. */
  name: string | undefined;
  whom: string;
  at: string;
  children: ReactNode;
}

export function Said({ way, name, whom, at, children }: SaidProps) {
  return (
    <div className={styles.said} data-way={way}>
      <Face name={name ?? 'Redazione'} />
      <div>
        <p className={styles.by}>
          <b>{name ?? 'Redazione'}</b> <span>{whom}</span>
          <Moment at={at} />
        </p>
        {children}
      </div>
    </div>
  );
}
