import { useEffect, useRef } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { usePeople } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { useToast } from '../common/toast';
import { isDecision, sentenceOf } from './history';

/** Says who changed the report while it is open here. */
export function useChangesOfOthers(report: ReportDetail): void {
  const { who } = useRights();
  const { nameOf } = usePeople();
  const { show } = useToast();
  const known = useRef(report.storia.length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the history grew
  useEffect(() => {
    const theirs = report.storia
      .slice(known.current)
      .findLast((entry) => isDecision(entry) && entry.author && entry.author.id !== who?.id);
    known.current = report.storia.length;
    if (theirs?.author) {
      show({ text: `${theirs.author.name}: ${sentenceOf(theirs, report, nameOf)}` });
    }
  }, [report.storia.length]);
}
