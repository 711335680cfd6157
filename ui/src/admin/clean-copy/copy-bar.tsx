import { Undo2 } from 'lucide-react';
import type { Span } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { Failure, Send } from '../common/action';
import bar from '../common/forms/save-bar.module.css';
import { isWithin } from './places';
import type { ChoiceSteps } from './use-choice';
import type { Saved } from './use-saved';

interface CopyBarProps {
  saved: Saved;
  steps: ChoiceSteps;
  /** A selection that was made with the browser's own handles. */
  marked: Span | null;
  onMarked: (place: Span) => void;
}

/** Saves what is covered; stays in sight while there is something to save. */
export function CopyBar({ saved, steps, marked, onMarked }: CopyBarProps) {
  const { busy, dirty } = saved;
  const take = () => {
    if (marked) {
      window.getSelection()?.removeAllRanges();
      onMarked(marked);
    }
  };
  return (
    <div className={bar.bar} data-busy={dirty || marked !== null || undefined}>
      <Failure of={saved} title="Non salvato" />
      <Row justify="end" className={bar.row}>
        <p className={bar.state}>{dirty ? 'Non ancora salvato' : 'Salvato'}</p>
        {marked ? (
          <Button onClick={take}>
            {isWithin(marked, steps.now.spans) ? 'Scopri la selezione' : 'Copri la selezione'}
          </Button>
        ) : null}
        <Button variant="quiet" icon={<Undo2 />} inactive={!steps.canUndo || busy} onClick={steps.undo}>
          Annulla
        </Button>
        <Send variant="primary" busy={busy} blocked={!dirty} busyLabel="Salvataggio…" onClick={saved.save}>
          Salva
        </Send>
      </Row>
    </div>
  );
}
