import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { announce } from '../../shared/ui/announcer';
import { Button, type ButtonVariant } from '../../shared/ui/button';

/** How long the button says that it worked, in milliseconds. */
const DONE_MS = 3000;

interface CopyButtonProps {
  text: string;
  /** Text of the button, such as "Copia il codice". */
  label: string;
  variant?: ButtonVariant;
}

export function CopyButton({ text, label, variant = 'secondary' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'done' | 'failed' | null>(null);

  useEffect(() => {
    if (outcome !== 'done') {
      return;
    }
    const timer = setTimeout(() => setOutcome(null), DONE_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    const done = await copyText(text);
    setOutcome(done ? 'done' : 'failed');
    announce(done ? 'Copiato' : 'Copia non riuscita: seleziona il testo e copialo a mano.');
  };

  return (
    <Button variant={variant} icon={outcome === 'done' ? <Check /> : <Copy />} onClick={() => void copy()}>
      {outcome === 'done' ? 'Copiato' : outcome === 'failed' ? 'Copia non riuscita' : label}
    </Button>
  );
}

/** True when the text is on the clipboard. */
async function copyText(text: string): Promise<boolean> {
  // The clipboard interface exists only in secure contexts (https or this very machine).
  if (window.isSecureContext && navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyBySelection(text);
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const box = document.createElement('textarea');
  box.value = text;
  box.readOnly = true;
  box.className = 'visually-hidden';
  document.body.append(box);
  box.select();
  // Deprecated, and the only way there is without a secure context.
  const done = document.execCommand('copy');
  box.remove();
  if (focused instanceof HTMLElement) {
    focused.focus();
  }
  return done;
}
