/** What is known and decided about a report, beside it, or in one line that unfolds where there is no room. */
import { ChevronDown, Tag } from 'lucide-react';
import { type RefObject, useId } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Fact } from '../../shared/ui/facts';
import { Failure, useAction } from '../common/action';
import { optionsOf, useDepartments } from '../common/departments';
import { Fold } from '../common/fold';
import { LabelChips } from '../common/labels/labels';
import { Moment } from '../common/moment-tag';
import { Opener } from '../common/opener';
import { paths } from '../common/paths';
import { Face } from '../common/people/face';
import { usePeople, usePeopleOptions } from '../common/people/people';
import { Verdict } from '../common/routing/verdict';
import { useRights } from '../common/session/session-context';
import { useKnownStories } from '../common/stories';
import { useRefresh } from '../common/use-read';
import { choicesOf, useChanges } from '../desk/changes';
import { DeliveriesFold, ErasureFold, PersonFold } from './cards';
import { Chooser } from './chooser';
import styles from './facts.module.css';
import { sentenceOf } from './history';
import { MaybeLine } from './maybe-line';
import { NoteCard, NoteShown } from './note-card';
import { RelatedFold } from './related-card';
import type { NoteForm } from './use-note-form';

interface FactsProps {
  report: ReportDetail;
  list: string;
  form: NoteForm;
  noteBox: RefObject<HTMLTextAreaElement | null>;
  labelsButton: RefObject<HTMLButtonElement | null>;
  open: boolean;
  onOpen: (open: boolean) => void;
}

export function Facts({ report, list, form, noteBox, labelsButton, open, onOpen }: FactsProps) {
  const { edits, administers } = useRights();
  const id = useId();
  return (
    <section className={styles.facts} aria-label="Fatti" data-open={open || undefined}>
      <button
        type="button"
        className={styles.line}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => onOpen(!open)}
      >
        <InOneLine report={report} />
        <ChevronDown aria-hidden="true" />
      </button>
      <div id={id} className={styles.column}>
        <section aria-label="Stato e reparto">
          <dl className={styles.pairs}>
            {edits ? <Chosen {...{ report, labelsButton }} /> : <Given report={report} />}
          </dl>
        </section>
        {edits ? <NoteCard form={form} noteBox={noteBox} /> : <NoteShown note={report.note} />}
        <section aria-label="Storia">
          <Story report={report} />
          <MaybeLine report={report} />
        </section>
        <div className={styles.folds}>
          <Fold title="Perché questo reparto">
            <Verdict verdict={report} quiet />
          </Fold>
          <RelatedFold id={report.id} />
          <DeliveriesFold deliveries={report.consegne} />
          <History report={report} />
          <PersonFold report={report} />
          {administers ? <ErasureFold report={report} list={list} /> : null}
        </div>
      </div>
    </section>
  );
}

interface OfReport {
  report: ReportDetail;
}

/** `Sara Moretti · Sanità/Ospedali · 1 nota`. */
function InOneLine({ report }: OfReport) {
  const name = usePeople().nameOf(report.assegnataA);
  const labels = report.labels.length > 0 ? counted(report.labels.length, 'etichetta', 'etichette') : '';
  const words = [name, report.departmentName, labels, report.note && '1 nota'].filter(Boolean).join(' · ');
  return (
    <>
      {name ? <Face name={name} /> : null}
      <span title={words}>{words}</span>
    </>
  );
}

function Chosen({ report, labelsButton }: OfReport & { labelsButton: RefObject<HTMLButtonElement | null> }) {
  const { change, pending } = useChanges();
  const { department, assegnataA, labels } = { ...choicesOf(report), ...pending(report.id) };
  const departments = useDepartments();
  return (
    <>
      <Assignment value={assegnataA} onValue={(to) => change(report, { assegnataA: to })} />
      <Fact name="Reparto">
        <Chooser
          label="Reparto"
          keys="r"
          title={`Reparto (r): ${departments.nameOf(department)}`}
          value={department}
          options={optionsOf(departments.all)}
          onValue={(to) => change(report, { department: to })}
        />
        <Why report={report} />
      </Fact>
      <Fact name="Etichette">
        <Opener
          ref={labelsButton}
          load={() => import('../common/labels/labels-dialog')}
          props={{
            title: 'Etichette della segnalazione',
            ids: labels,
            onChange: (to: number[]) => change(report, { labels: to.toSorted((a, b) => a - b) }),
          }}
          variant="quiet"
          title="Etichette (l)"
          aria-keyshortcuts="l"
        >
          {labels.length > 0 ? (
            <LabelChips ids={labels} />
          ) : (
            <>
              <Tag aria-hidden="true" />
              Nessuna
            </>
          )}
        </Opener>
      </Fact>
      <Due due={report.due} />
    </>
  );
}

function Given({ report }: OfReport) {
  const name = usePeople().nameOf(report.assegnataA);
  return (
    <>
      <Fact name="Chi segue">{name ?? 'Nessuno'}</Fact>
      <Fact name="Reparto">
        {report.departmentName}
        <Why report={report} />
      </Fact>
      {report.labels.length > 0 ? (
        <Fact name="Etichette">
          <LabelChips ids={report.labels} />
        </Fact>
      ) : null}
      <Due due={report.due} />
    </>
  );
}

/** The words that spoke most for its department. */
function Why({ report: { matchedKeywords } }: OfReport) {
  const words = matchedKeywords.map((word) => `«${word}»`).join(', ');
  return words ? <p title={words}>per {words}</p> : null;
}

const PROMISED = { first: 'risposta', outcome: 'esito' } as const;

function Due({ due }: { due: ReportDetail['due'] }) {
  return due ? (
    <Fact name="Scadenza">
      {PROMISED[due.what]} entro il <time dateTime={due.at}>{formatDate(due.at)}</time>
    </Fact>
  ) : null;
}

/** Whose report it is; nothing where only the shared password exists. */
function Assignment({ value, onValue }: { value: string | null; onValue: (id: string | null) => void }) {
  const { nameOf, present } = usePeople();
  const people = usePeopleOptions();
  if (people.length === 0 && value === null) {
    return null;
  }
  // One who was removed, or only reads now, keeps their reports until these are assigned anew.
  const former = value !== null && people.every((one) => one.value !== value);
  const why = present.some(({ id }) => id === value) ? 'sola lettura' : 'non c’è più';
  const name = nameOf(value);
  const options = [
    { value: '', label: 'Nessuno' },
    ...(former ? [{ value, label: `${name ?? 'Qualcuno'} (${why})` }] : []),
    ...people,
  ];
  return (
    <Fact name="Chi segue">
      <Chooser
        label="Chi segue"
        keys="a"
        title={name ? `La segue ${name} (a)` : 'Assegna (a)'}
        icon={name ? <Face name={name} /> : undefined}
        shown={value === null ? 'Nessuno' : (name ?? 'Qualcuno')}
        value={value ?? ''}
        options={options}
        onValue={(to) => onValue(to || null)}
      />
    </Fact>
  );
}

/** The story that it belongs to, and the way into another. */
function Story({ report: { id, story } }: OfReport) {
  const { edits } = useRights();
  const stories = useKnownStories();
  const action = useAction();
  const refresh = useRefresh();
  const options = [
    { value: '', label: 'Nessuna' },
    ...(story && stories.every((one) => one.id !== story.id)
      ? [{ value: story.id, label: story.title }]
      : []),
    ...stories.map((one) => ({ value: one.id, label: one.title })),
  ];
  const move = (to: string) =>
    void action.run(async () => {
      const path = { id: to || (story?.id ?? ''), report: id };
      await (to
        ? call('put', '/stories/{id}/reports/{report}', { path })
        : call('delete', '/stories/{id}/reports/{report}', { path }));
      await refresh();
    });
  return (
    <>
      <dl className={styles.pairs}>
        <Fact name="Storia">
          {edits && stories.length > 0 ? (
            <Chooser
              label="Storia"
              title={story?.title ?? 'Nessuna storia'}
              value={story?.id ?? ''}
              options={options}
              onValue={move}
            />
          ) : story ? null : (
            'Nessuna'
          )}
          {story ? <Link to={paths.story(story.id)}>«{story.title}»</Link> : null}
        </Fact>
      </dl>
      <Failure of={action} title="Storia non salvata" />
    </>
  );
}

/** All that happened to it, the newest first. */
function History({ report }: OfReport) {
  const { nameOf } = usePeople();
  return (
    <Fold title="Cronologia" note={`${report.storia.length}`}>
      <ol className={styles.history}>
        {report.storia.toReversed().map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the entries of a history never move
          <li key={report.storia.length - place}>
            <Moment at={entry.data} />
            <span>
              {sentenceOf(entry, report, nameOf)}
              {entry.author ? ` · ${entry.author.name}` : null}
            </span>
          </li>
        ))}
      </ol>
    </Fold>
  );
}
