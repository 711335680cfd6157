import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { announce } from '../../shared/ui/announcer';
import { Button, type ButtonVariant } from '../../shared/ui/button';

const DONE_MS = 3000;

interface CopyButtonProps {
  text: string;
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
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('done');
      announce('Copiato');
    } catch {
      // Forbidden, or no secure context (https or this very machine).
      setOutcome('failed');
      announce('Copia non riuscita: seleziona il testo e copialo a mano.');
    }
  };

  return (
    <Button variant={variant} icon={outcome === 'done' ? <Check /> : <Copy />} onClick={() => void copy()}>
      {outcome === 'done' ? 'Copiato' : outcome === 'failed' ? 'Copia non riuscita' : label}
    </Button>
  );
}
