import { formatDateTime } from '../../shared/lib/dates';
import { momentOf } from './moment';

/** When something was, as one says it; the whole date is in its title. */
export const Moment = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatDateTime(at)}>
    {momentOf(at)}
  </time>
);
