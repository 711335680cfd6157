import type { Proposal } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { List } from '../common/list/list';
import { type ChoiceSteps, type Looked, lookedAt } from './use-choice';

interface ProposalsProps {
  characters: readonly string[];
  proposals: readonly Proposal[];
  steps: ChoiceSteps;
  onShow: (proposal: Proposal) => void;
}

const STATES: Readonly<Record<Looked, string>> = { open: 'da guardare', taken: 'coperta', left: 'lasciata' };

/** What else seems to name somebody, in the order of the text, for a person to take or leave. */
export function Proposals({ characters, proposals, steps, onShow }: ProposalsProps) {
  const textOf = ({ start, end }: { start: number; end: number }) => characters.slice(start, end).join('');
  const open = proposals.filter((one) => lookedAt(steps.now, one) === 'open');
  return (
    <Card
      title="Proposte"
      aside={open.length > 0 ? <Button onClick={() => steps.cover(...open)}>Prendi tutte</Button> : null}
    >
      <Stack>
        <Text tone={open.length > 0 ? 'warning' : 'muted'} role="status">
          {open.length > 0
            ? `${counted(open.length, 'proposta', 'proposte')} ancora da guardare`
            : proposals.length > 0
              ? 'Guardate tutte. Il programma non vede tutto: rileggi il testo.'
              : 'Nessuna. Il programma non vede tutto: rileggi il testo.'}
        </Text>
        {proposals.length > 0 ? (
          <List of={proposals} label="Proposte" empty="">
            {(proposal) => {
              const looked = lookedAt(steps.now, proposal);
              const text = textOf(proposal);
              return (
                <Row as="li" key={proposal.start} gap={2} justify="between">
                  <div>
                    <Button variant="quiet" style={{ paddingInline: 0 }} onClick={() => onShow(proposal)}>
                      <span className="visually-hidden">Mostra nel testo: </span>
                      {text}
                    </Button>
                    <Text tone="muted" small>
                      {proposal.beside && proposal.why === 'nome'
                        ? `accanto a «${textOf(proposal.beside)}»`
                        : proposal.why}{' '}
                      · {STATES[looked]}
                    </Text>
                  </div>
                  <Row gap={1} nowrap>
                    <Button
                      variant={looked === 'left' ? 'quiet' : 'secondary'}
                      aria-pressed={looked === 'taken'}
                      about={`«${text}»`}
                      onClick={() => steps.cover(proposal)}
                    >
                      Copri
                    </Button>
                    <Button
                      variant={looked === 'taken' ? 'quiet' : 'secondary'}
                      aria-pressed={looked === 'left'}
                      about={`«${text}»`}
                      onClick={() => steps.uncover(proposal)}
                    >
                      Lascia
                    </Button>
                  </Row>
                </Row>
              );
            }}
          </List>
        ) : null}
      </Stack>
    </Card>
  );
}
