import { Message } from '../../../shared/ui/message';
import { StatusMessage } from '../../../shared/ui/status-message';
import { FaultText } from '../error-card';
import type { DeliveryActions } from './queries';

/** What came of asking for another try, or of putting something away. */
export function DeliveryNews({ actions }: { actions: DeliveryActions }) {
  return (
    <>
      {actions.failure ? (
        <Message kind="error" title={actions.failure.title} onDismiss={actions.dismissFailure}>
          <FaultText error={actions.failure.error} />
        </Message>
      ) : null}
      <StatusMessage message={actions.news} onDone={actions.dismissNews} />
    </>
  );
}
