/** The last resort when the page itself breaks. Must never show what went wrong inside, only the way on. */
import { Component, type ReactNode } from 'react';
import { messages } from './messages';

type Props = { children: ReactNode };

export class ErrorBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) {
      return this.props.children;
    }
    return (
      <main className="broken">
        <p role="alert">{messages.failed}</p>
        <button type="button" onClick={() => window.location.reload()}>
          Ricarica la pagina
        </button>
      </main>
    );
  }
}
