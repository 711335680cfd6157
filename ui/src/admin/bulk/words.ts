/** What a change of many did, in words: how many reports, and what they are now. */
import type { BulkChange } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { useDepartments } from '../common/departments';
import { useLabels } from '../common/labels/labels';
import { usePeople } from '../common/people/people';
import { useKnownStories } from '../common/stories';

export interface Names {
  person: (id: string) => string;
  department: (key: string) => string;
  label: (id: number) => string;
  story: (id: string) => string;
}

const reports = (n: number) => counted(n, 'segnalazione', 'segnalazioni');

export const comeBack = (n: number): string => `${reports(n)} come prima`;

/** `3 segnalazioni archiviate`: a change has one field (`API.md`, 'Bulk changes'). */
export function wordsOf(edit: BulkChange, n: number, names: Names): string {
  const many = n !== 1;
  const done = (stem: string, rest = '') => `${reports(n)} ${stem}${many ? 'e' : 'a'}${rest}`;
  if (edit.stato) {
    const stati = {
      Nuova: done('rimess', ' tra le nuove'),
      'In lavorazione': `${reports(n)} in lavorazione`,
      Risolta: done('risolt'),
      Archiviata: done('archiviat'),
    };
    return stati[edit.stato];
  }
  if (edit.department) {
    return done('spostat', ` in ${names.department(edit.department)}`);
  }
  if (edit.assegnataA !== undefined) {
    return edit.assegnataA === null
      ? `${reports(n)} non più ${many ? 'assegnate' : 'assegnata'}`
      : done('assegnat', ` a ${names.person(edit.assegnataA)}`);
  }
  if (edit.labels) {
    const [added] = edit.labels.add;
    const label = names.label(added ?? edit.labels.remove[0] ?? 0);
    return added === undefined ? `${label} tolta da ${reports(n)}` : `${label} messa a ${reports(n)}`;
  }
  if (edit.snoozedUntil) {
    return done('rinviat', ` al ${formatDate(edit.snoozedUntil)}`);
  }
  if (edit.story !== undefined) {
    return edit.story === null
      ? done('tolt', ' dalla storia')
      : done('aggiunt', ` a «${names.story(edit.story)}»`);
  }
  if (edit.done !== undefined) {
    return `${edit.done ? 'Fatto' : 'Da fare'}: ${reports(n)}`;
  }
  return `${reports(n)} ${edit.urgente ? '' : 'non più '}${many ? 'urgenti' : 'urgente'}`;
}

/** By the names that the panel knows. */
export function useWords(): (edit: BulkChange, n: number) => string {
  const { nameOf: person } = usePeople();
  const { nameOf: department } = useDepartments();
  const labels = useLabels();
  const stories = useKnownStories();
  const names: Names = {
    person: (id) => person(id) ?? '',
    department,
    label: (id) => `Etichetta «${labels.find((one) => one.id === id)?.name ?? ''}»`,
    story: (id) => stories.find((one) => one.id === id)?.title ?? '',
  };
  return (edit, n) => wordsOf(edit, n, names);
}
