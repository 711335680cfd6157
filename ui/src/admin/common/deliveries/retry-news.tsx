import { Message } from '../../../shared/ui/message';
import { StatusMessage } from '../../../shared/ui/status-message';
import { FaultText } from '../error-card';
import type { Retry } from './queries';

/** What came of asking for another try. */
export function RetryNews({ retry }: { retry: Retry }) {
  return (
    <>
      {retry.failure ? (
        <Message kind="error" title="Nuovo tentativo non avviato" onDismiss={retry.dismissFailure}>
          <FaultText error={retry.failure} />
        </Message>
      ) : null}
      <StatusMessage message={retry.news} onDone={retry.dismissNews} />
    </>
  );
}
