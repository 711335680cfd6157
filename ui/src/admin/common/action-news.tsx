import type { ReactNode } from 'react';
import { Message } from '../../shared/ui/message';
import { StatusMessage } from '../../shared/ui/status-message';
import { FaultText } from './error-card';
import type { Action } from './use-action';

interface FailureProps {
  of: Pick<Action, 'failure' | 'dismissFailure'>;
  title: string;
  /** In place of the failure's own words. */
  children?: ReactNode;
}

/** Why an action failed, until it is dismissed. */
export function Failure({ of: { failure, dismissFailure }, title, children }: FailureProps) {
  return failure ? (
    <Message kind="error" title={title} onDismiss={dismissFailure}>
      {children ?? <FaultText error={failure} />}
    </Message>
  ) : null;
}

/** Good news of an action. */
export function News({ of }: { of: Pick<Action, 'news' | 'dismissNews'> }) {
  return <StatusMessage message={of.news} onDone={of.dismissNews} />;
}

interface ActionNewsProps {
  action: Pick<Action, 'failure' | 'news' | 'dismissFailure' | 'dismissNews'>;
  /** What did not happen, when it failed. */
  failed: string;
}

/** What came of an action. The region of its good news is there before they are. */
export function ActionNews({ action, failed }: ActionNewsProps) {
  return (
    <>
      <Failure of={action} title={failed} />
      <News of={action} />
    </>
  );
}
