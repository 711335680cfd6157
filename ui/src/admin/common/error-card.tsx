import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { faultOf } from './errors';

interface ErrorCardProps {
  title: string;
  error: unknown;
  onRetry: () => void;
}

export function ErrorCard({ title, error, onRetry }: ErrorCardProps) {
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
