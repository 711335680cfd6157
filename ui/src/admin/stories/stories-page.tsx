/** Stories and proposals beside what is open of them; one after the other where there is no room. Must never drop what was begun on a proposal. */

import { Newspaper } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { MessagesSent } from '../../shared/api/schema';
import { EmptyState } from '../../shared/ui/empty-state';
import { Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { useLeaveGuard } from '../common/leave-guard';
import { useWide } from '../common/use-wide';
import { useShortcuts } from '../keyboard/keyboard-context';
import { UNSENT, Unreached } from '../letters/batches';
import { type Draft, draftOf, isWritten, useProposals } from './api';
import { Back, OpenProposal } from './proposal';
import styles from './stories-page.module.css';
import { StoryList } from './story-list';

export function StoriesPage() {
  const proposals = useProposals();
  const wide = useWide();
  const [query, setQuery] = useSearchParams();
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const [refused, setRefused] = useState<MessagesSent['refused']>([]);
  const rows = useRef<HTMLUListElement>(null);
  const section = useRef<HTMLElement>(null);
  const page = useRef<HTMLDivElement>(null);
  const all = proposals.data?.data ?? [];
  const asked = query.get('proposta');
  const begun = asked === null ? undefined : drafts[asked];
  const found = all.findIndex(({ key }) => key === asked);
  const gone = found < 0 && begun !== undefined && isWritten(begun) && proposals.isSuccess;
  const at = found < 0 && wide && !gone ? 0 : found;
  const proposal = all[at];
  const alone = !wide && (proposal !== undefined || gone);
  const draft = proposal && drafts[proposal.key];
  const moved = useRef(false);

  const open = (key: string | undefined) => {
    moved.current = true;
    // Back leads from a proposal to the list, not through all that were looked at.
    setQuery(key === undefined ? {} : { proposta: key }, { replace: wide || asked !== null });
  };
  const focusOpen = () => {
    const row = rows.current?.querySelector<HTMLElement>('a[aria-current]');
    row?.scrollIntoView({ block: 'nearest' });
    (row ?? section.current)?.focus({ preventScroll: true });
  };
  const shown = proposal?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each move
  useEffect(() => {
    if (moved.current) {
      moved.current = false;
      focusOpen();
    }
  }, [shown]);
  useLeaveGuard(
    Object.values(drafts).some(({ letter, questions }) => letter.trim() !== '' || questions.length > 0),
    UNSENT,
  );

  const step = (by: 1 | -1) => {
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    next && next.key !== shown ? open(next.key) : focusOpen();
  };
  const enter = () => section.current?.querySelector<HTMLElement>('button[aria-expanded]')?.focus();
  const stepFocus = (by: 1 | -1) => {
    const lines = section.current?.querySelectorAll<HTMLElement>('button[aria-expanded]');
    const within = section.current?.contains(document.activeElement);
    // Among the reports where one is in them, else among the proposals.
    if (lines && document.activeElement?.closest('li') && within) {
      focusNext([...lines], by);
    } else if (proposal) {
      step(by);
    } else {
      focusNext([...(rows.current?.querySelectorAll<HTMLElement>('a') ?? [])], by);
    }
  };
  useShortcuts(
    'Nelle proposte',
    [
      { keys: 'j', label: 'Proposta o segnalazione successiva', run: () => stepFocus(1), repeats: true },
      { keys: 'k', label: 'Proposta o segnalazione precedente', run: () => stepFocus(-1), repeats: true },
      { keys: 'Enter', label: 'Entra nella proposta; apri la segnalazione evidenziata', run: enter },
      { keys: 'Esc', label: 'Torna dalle segnalazioni alla proposta' },
    ],
    proposals.isPending,
  );

  const notice = <Unreached refused={refused} onClose={() => setRefused([])} />;
  return (
    <div className={styles.page} data-flush="" data-split={wide || undefined} ref={page}>
      {alone ? null : (
        <StoryList
          proposals={proposals}
          open={shown}
          rows={rows}
          notice={notice}
          onOpen={(key) => {
            if (key === shown) {
              enter();
            } else {
              open(key);
            }
          }}
        />
      )}
      {proposal ? (
        <OpenProposal
          key={proposal.key}
          ref={section}
          proposal={proposal}
          draft={draft ?? draftOf(proposal)}
          onDraft={(change) => {
            setDrafts((now) => ({
              ...now,
              [proposal.key]: { ...(now[proposal.key] ?? draftOf(proposal)), ...change },
            }));
            // What is begun stays open, however the others change.
            if (asked !== proposal.key) {
              setQuery({ proposta: proposal.key }, { replace: true });
            }
          }}
          notice={alone ? notice : null}
          place={at}
          of={all.length}
          alone={alone}
          onStep={step}
          onRefused={setRefused}
          onDone={() => {
            setDrafts(({ [proposal.key]: _, ...others }) => others);
            open((all[at + 1] ?? all[at - 1])?.key);
          }}
          onUndone={() => {
            // Unless another page was opened since.
            if (page.current) {
              setDrafts((now) => ({ ...now, ...(draft && { [proposal.key]: draft }) }));
              open(proposal.key);
            }
          }}
          onEnter={enter}
          onBack={focusOpen}
        />
      ) : wide || gone ? (
        <section className={styles.nothing} ref={section} tabIndex={-1} aria-label="Proposta">
          {alone ? <Back /> : null}
          {gone ? (
            <Message kind="warning" title="Questa proposta non c’è più">
              <p>Un’altra persona l’ha decisa, o sono cambiate le sue segnalazioni. Avevi scritto:</p>
              <Text kept>{[begun.letter, ...begun.questions.map(({ text }) => text)].join('\n')}</Text>
            </Message>
          ) : proposals.data?.ready ? (
            <EmptyState icon={<Newspaper />} title="Nessuna proposta da decidere">
              <p>Qui si aprono le segnalazioni che forse parlano della stessa cosa.</p>
            </EmptyState>
          ) : null}
        </section>
      ) : null}
    </div>
  );
}

function focusNext(among: readonly HTMLElement[], by: 1 | -1): void {
  const active = document.activeElement;
  const at = among.findIndex((one) => one === active || one.closest('li')?.contains(active));
  const next = among[at < 0 ? 0 : Math.min(Math.max(at + by, 0), among.length - 1)];
  next?.focus({ preventScroll: true });
  next?.closest('li')?.scrollIntoView({ block: 'nearest' });
}
