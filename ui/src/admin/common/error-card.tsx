import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { faultOf, isProblem, refusalOf } from './errors';

interface ErrorCardProps {
  title: string;
  error: unknown;
  /** The words for what `onRetry` does. */
  retry?: string;
  onRetry: () => void;
}

export function ErrorCard({ title, error, retry = 'Riprova', onRetry }: ErrorCardProps) {
  return (
    <Message kind="error" title={title} actions={<Button onClick={onRetry}>{retry}</Button>}>
      {/* What is asked for stands in the address, where no field shows what is wrong with it. */}
      {isProblem(error, 'dati-non-validi') ? <p>{refusalOf(error)}</p> : <FaultText error={error} />}
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
