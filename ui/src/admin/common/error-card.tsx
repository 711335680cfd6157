import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { faultOf } from './errors';

export function ErrorCard({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  return (
    <Message kind="error" title={title} actions={<Button onClick={onRetry}>Riprova</Button>}>
      <FaultText error={error} />
    </Message>
  );
}

export function FaultText({ error }: { error: unknown }) {
  const fault = faultOf(error);
  return (
    <>
      <p>{fault.text}</p>
      {fault.requestId ? (
        <p>
          <small>Codice della richiesta: {fault.requestId}</small>
        </p>
      ) : null}
    </>
  );
}
