import { Failure, News } from '../action-news';
import type { DeliveryActions } from './queries';

/** What came of asking for another try, or of putting something away. */
export function DeliveryNews({ actions }: { actions: DeliveryActions }) {
  return (
    <>
      <Failure of={actions} title={actions.title} />
      <News of={actions} />
    </>
  );
}
