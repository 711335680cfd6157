import type { ReportDetail } from '../../shared/api/schema';

/** Whether it is out of the list for now; it stays known when it came back. */
export const isSnoozed = ({ snooze }: Pick<ReportDetail, 'snooze'>): boolean =>
  snooze !== null && Date.parse(snooze.until) > Date.now();
