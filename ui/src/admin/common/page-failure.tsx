import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';

/** Stands in for a page that could not be drawn or loaded, most often because the server was updated meanwhile. */
export function PageFailure() {
  return (
    <Message
      kind="error"
      title={messages.unexpected}
      actions={<Button onClick={() => window.location.reload()}>Ricarica la pagina</Button>}
    >
      <p>Questa pagina non si è caricata. Se il programma è stato appena aggiornato, ricaricarla basta.</p>
    </Message>
  );
}
