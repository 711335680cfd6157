import { Message } from '../../shared/ui/message';
import { StatusMessage } from '../../shared/ui/status-message';
import { FaultText } from './error-card';
import type { Action } from './use-action';

interface ActionNewsProps {
  action: Pick<Action, 'failure' | 'news' | 'dismissFailure' | 'dismissNews'>;
  /** What did not happen, when it failed. */
  failed: string;
}

/** What came of an action. The region of its good news is there before they are. */
export function ActionNews({ action, failed }: ActionNewsProps) {
  return (
    <>
      {action.failure ? (
        <Message kind="error" title={failed} onDismiss={action.dismissFailure}>
          <FaultText error={action.failure} />
        </Message>
      ) : null}
      <StatusMessage message={action.news} onDone={action.dismissNews} />
    </>
  );
}
