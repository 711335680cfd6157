import { Message } from '../../shared/ui/message';

/** What is on screen may be old: said as long as it lasts, gone by itself with the next answer. */
export function StaleNotice() {
  return (
    <div role="status">
      <Message kind="warning">
        <p>Aggiornamento automatico interrotto: il server non risponde. Nuovo tentativo in corso…</p>
      </Message>
    </div>
  );
}
