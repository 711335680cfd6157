/** A clean copy of a report: its text under a pen, what else is covered beside it, and the files that leave ('Copia oscurata'). */
import { useState } from 'react';
import { useParams } from 'react-router-dom';
import type { Mask, ReportDetail } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Switch } from '../../shared/ui/switch';
import { useKeysAhead } from '../common/keys/registry';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import { useShortcuts } from '../keyboard/keyboard-context';
import { CopyBar } from './copy-bar';
import { Export } from './export';
import { Fields } from './fields';
import { MaskConflict } from './mask-conflict';
import { type Chosen, Pen } from './pen';
import { wordsOf } from './places';
import { Preview } from './preview';
import { Proposals } from './proposals';
import { choiceOf, lookedAt, useChoice } from './use-choice';
import { useSaved } from './use-saved';

const TITLE = 'Copia oscurata';
/** Two stand side by side where there is room for both. */
const COLUMN = { flex: '1 1 21rem' };

export function CleanCopyPage() {
  const { id = '' } = useParams();
  return <OneCopy key={id} id={id} />;
}

/** As it was when the page was opened: what is chosen meanwhile must not move. */
const ONCE = { gcTime: 0, staleTime: Number.POSITIVE_INFINITY };

function OneCopy({ id }: { id: string }) {
  const { edits } = useRights();
  const path = { id };
  const report = useRead('/reports/{id}', { with: { path }, ...ONCE });
  const mask = useRead('/reports/{id}/mask', { with: { path }, enabled: edits, ...ONCE });
  useKeysAhead(edits && (report.isPending || mask.isPending));
  return (
    <Page
      title={TITLE}
      subtitle="Per chi deve leggere senza sapere chi ha scritto: un legale, un’autorità, un’altra redazione."
      back={paths.report(id)}
      backLabel="Torna alla segnalazione"
    >
      {edits ? (
        <Loaded query={report} loading="Caricamento…" failed="Segnalazione non aperta" lines={12}>
          {(found) => (
            <Loaded query={mask} loading="Caricamento…" failed="Copia non aperta" lines={12}>
              {(saved) => <Work key={saved.textVersion} report={found} mask={saved} />}
            </Loaded>
          )}
        </Loaded>
      ) : (
        <Message kind="info">
          <p>Una copia oscurata la prepara chi può modificare le segnalazioni.</p>
        </Message>
      )}
    </Page>
  );
}

function Work({ report, mask: opened }: { report: ReportDetail; mask: Mask }) {
  const [mask, setMask] = useState(opened);
  const [characters] = useState(() => [...report.segnalazione]);
  const [words] = useState(() => wordsOf(characters));
  const [chosen, setChosen] = useState<Chosen>({ anchor: -1, active: -1 });
  const [marked, setMarked] = useState<{ start: number; end: number } | null>(null);
  const [look, setLook] = useState({ beneath: false, leaving: false });
  const steps = useChoice(choiceOf(opened), opened.proposals);
  const saved = useSaved(report.id, mask, setMask, steps);
  const { now } = steps;
  const open = mask.proposals.filter((one) => lookedAt(now, one) === 'open');
  useShortcuts(TITLE, [
    { keys: 'Ctrl+Enter', label: 'Salva la copia', inFields: true, run: saved.save },
    { keys: 'z', label: 'Annulla l’ultima copertura', run: steps.undo },
  ]);
  const show = (place: { start: number }) => {
    const at = Math.max(
      0,
      words.findLastIndex(({ start }) => start <= place.start),
    );
    setChosen({ anchor: at, active: at });
    document.querySelector(`[data-word="${at}"]`)?.scrollIntoView({ block: 'center' });
  };
  const toggle = (place: { start: number; end: number }) => {
    steps.toggle(place);
    setMarked(null);
  };
  return (
    <>
      <Row gap={4} align="start">
        <Stack gap={4} style={COLUMN}>
          {mask.version > 0 && !mask.saved ? (
            <Message kind="warning" title="Il testo è cambiato dall’ultimo salvataggio">
              <p>Ciò che era coperto valeva per il testo di prima: qui tutto è ancora da guardare.</p>
            </Message>
          ) : null}
          <MaskConflict characters={characters} saved={saved} steps={steps} />
          <Card
            title={look.leaving ? 'Ciò che esce' : 'Racconto'}
            aside={
              <Row gap={4}>
                {look.leaving ? null : (
                  <Switch
                    label="Mostra sotto"
                    checked={look.beneath}
                    onChange={(beneath) => setLook({ ...look, beneath })}
                  />
                )}
                <Switch
                  label="Anteprima"
                  checked={look.leaving}
                  onChange={(leaving) => setLook({ ...look, leaving })}
                />
              </Row>
            }
          >
            {look.leaving ? (
              <Preview report={report} characters={characters} choice={now} />
            ) : (
              <Stack>
                <Text tone="muted" small>
                  Copri ciò che dice chi è: tocca una parola o passaci sopra, seleziona una parte, oppure usa
                  le frecce e lo Spazio. Una parola coperta si scopre allo stesso modo.
                </Text>
                <Pen
                  {...{ characters, words, open, chosen }}
                  spans={now.spans}
                  beneath={look.beneath}
                  onChosen={setChosen}
                  onToggle={toggle}
                  onMarked={setMarked}
                />
                <Text tone="muted" small digits>
                  {counted(now.spans.length, 'parte coperta', 'parti coperte')}
                </Text>
              </Stack>
            )}
          </Card>
        </Stack>
        <Stack gap={4} style={COLUMN}>
          <Proposals {...{ characters, steps }} proposals={mask.proposals} onShow={show} />
          <Fields report={report} steps={steps} />
          <Export report={report} mask={mask} saved={saved} open={open.length} />
        </Stack>
      </Row>
      <CopyBar saved={saved} steps={steps} marked={marked} onMarked={toggle} />
    </>
  );
}
