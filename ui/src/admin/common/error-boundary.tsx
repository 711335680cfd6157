import { Component, type ReactNode } from 'react';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';

interface ErrorBoundaryProps {
  /** Another value starts afresh: the page that failed has been left. */
  resetKey: string;
  children: ReactNode;
}

interface Failure {
  failed: boolean;
  resetKey: string;
}

/** Stands in for a part that could not be drawn or loaded, most often because the server was updated meanwhile. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, Failure> {
  override state: Failure = { failed: false, resetKey: this.props.resetKey };

  static getDerivedStateFromError(): Partial<Failure> {
    return { failed: true };
  }

  static getDerivedStateFromProps(props: ErrorBoundaryProps, state: Failure): Failure | null {
    return props.resetKey === state.resetKey ? null : { failed: false, resetKey: props.resetKey };
  }

  override render(): ReactNode {
    if (!this.state.failed) {
      return this.props.children;
    }
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
}
