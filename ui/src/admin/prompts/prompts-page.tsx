import { MessageCircle, RotateCcw } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Phrases, Security } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { useBranding } from '../common/branding';
import { RecoveredNotice, SaveBar } from '../common/edits/save-bar';
import { type EditsForm, useEdits } from '../common/edits/use-edits';
import { ErrorCard, FaultText } from '../common/error-card';
import { useLeaveGuard } from '../common/leave-guard';
import { Loading } from '../common/loading';
import { Page } from '../common/page';
import { messages } from './messages';
import { PhraseField } from './phrase-field';
import { PlaceholderCard } from './placeholder-card';
import { faultOfPhrase, type PlaceholderValues } from './placeholders';
import { Preview } from './preview';
import styles from './prompts-page.module.css';
import { usePhrases, useResetPhrases, useRules, useSavePhrases } from './queries';
import { RehearsalDialog } from './rehearsal-dialog';
import { SectionMenu } from './section-menu';
import {
  isSectionKey,
  mainPhrase,
  type PhraseKey,
  type PhraseTexts,
  phrasesOf,
  type Section,
  type SectionKey,
  sectionOf,
  sectionWith,
  textsOf,
} from './sections';

export function PromptsPage() {
  const phrases = usePhrases();
  const rules = useRules();
  const failed = phrases.error ?? rules.error;
  if (phrases.data && rules.data) {
    return <Editor phrases={phrases.data} rules={rules.data} />;
  }
  return (
    <Page title={messages.title} subtitle={SUBTITLE}>
      {failed ? (
        <ErrorCard
          title="Non è stato possibile caricare le frasi"
          error={failed}
          onRetry={() => void Promise.all([phrases.refetch(), rules.refetch()])}
        />
      ) : (
        <Loading label="Caricamento delle frasi…">
          <div className={styles.columns}>
            <div className={styles.block}>
              <Skeleton lines={9} />
            </div>
            <div className={styles.block}>
              <Skeleton lines={8} tall />
            </div>
          </div>
        </Loading>
      )}
    </Page>
  );
}

const SUBTITLE = 'Le frasi che l’assistente dice nella chat pubblica';

function Editor({ phrases, rules }: { phrases: Phrases; rules: Security }) {
  const save = useSavePhrases();
  const saved = useMemo(() => textsOf(phrases), [phrases]);
  const [current, choose] = useSection();
  const form = useEdits<PhraseTexts>({
    name: 'prompts',
    saved,
    send: async (changes) => textsOf(await save(phrasesOf(changes))),
    success: messages.saved,
    onRefused: (fields) => {
      const wrong = fields.map(sectionWith).filter((section) => section !== undefined);
      const first = wrong[0];
      if (first && !wrong.some((section) => section.key === current)) {
        choose(first.key);
      }
    },
  });
  const values = usePlaceholderValues(rules);
  /** The phrases as they were when the run-through began. */
  const [trying, setTrying] = useState<Phrases | null>(null);
  const sought = useRef<PhraseKey | null>(null);
  useLeaveGuard(form.dirty, 'Hai modificato le frasi della chat. Se esci adesso, le modifiche vanno perse.');

  // After the dialog has closed and given the focus back, it goes to the text that has to be put right.
  useEffect(() => {
    if (!trying && sought.current) {
      document.getElementById(areaId(sought.current))?.querySelector('textarea')?.focus();
      sought.current = null;
    }
  });

  return (
    <Page
      title={messages.title}
      subtitle={SUBTITLE}
      actions={
        <>
          <Button
            icon={<MessageCircle aria-hidden="true" />}
            onClick={() => setTrying(phrasesOf(form.values))}
          >
            Prova la chat
          </Button>
          <Reset form={form} />
        </>
      }
    >
      <RecoveredNotice form={form} />
      <div className={styles.columns}>
        <SectionMenu
          current={current}
          onChoose={choose}
          changed={(section) => section.phrases.some((phrase) => form.changed.has(phrase.key))}
          wrong={(section) =>
            section.phrases.some(
              ({ key }) => (form.errors[key] ?? faultOfPhrase(form.values[key])) !== undefined,
            )
          }
        />
        <SectionEditor key={current} section={sectionOf(current)} form={form} values={values} />
      </div>
      {trying ? (
        <RehearsalDialog
          prompts={trying}
          onClose={() => setTrying(null)}
          onGoTo={(key) => {
            sought.current = key;
            choose(sectionWith(key)?.key ?? current);
            setTrying(null);
          }}
        />
      ) : null}
    </Page>
  );
}

const areaId = (key: PhraseKey) => `frase-${key}`;

interface SectionEditorProps {
  section: Section;
  form: EditsForm<PhraseTexts>;
  values: PlaceholderValues;
}

/** The texts of one section, and how the one being worked on looks. */
function SectionEditor({ section, form, values }: SectionEditorProps) {
  const [focused, setFocused] = useState<PhraseKey | null>(null);
  const shown = section.phrases.find((phrase) => phrase.key === focused) ?? mainPhrase(section);
  return (
    <>
      <div className={styles.form} ref={form.area}>
        <Card title={section.label}>
          <div className={styles.fields}>
            {section.phrases.map((phrase) => (
              <div key={phrase.key} id={areaId(phrase.key)}>
                <PhraseField
                  phrase={phrase}
                  value={form.values[phrase.key]}
                  error={form.errors[phrase.key]}
                  onChange={(value) => form.set(phrase.key, value)}
                  onFocus={() => setFocused(phrase.key)}
                />
              </div>
            ))}
          </div>
        </Card>
        <SaveBar
          form={form}
          failureTitle={messages.saveFailed}
          fields={(key) => sectionWith(key) !== undefined}
        />
      </div>
      <div className={styles.aside}>
        <Preview phrase={shown} text={form.values[shown.key]} values={values} />
        <PlaceholderCard values={values} />
      </div>
    </>
  );
}

/**
 * The section on screen. It stands in the address too, so that it can be handed on; the address follows, because the
 * router changes it later than the page has to.
 */
function useSection(): [SectionKey, (key: SectionKey) => void] {
  const [query, setQuery] = useSearchParams();
  const [current, setCurrent] = useState<SectionKey>(() => {
    const asked = query.get('sezione');
    return isSectionKey(asked) ? asked : 'welcome';
  });
  const choose = (key: SectionKey) => {
    setCurrent(key);
    setQuery({ sezione: key }, { replace: true });
  };
  return [current, choose];
}

function usePlaceholderValues(rules: Security): PlaceholderValues {
  const { assistantName, organizationName } = useBranding();
  return {
    name: assistantName,
    org: organizationName,
    minChars: String(rules.minReportLength),
    minWords: String(rules.minWordCount),
  };
}

/** 'Reset Default': every phrase back to how it was delivered, once the editor has said so twice. */
function Reset({ form }: { form: EditsForm<PhraseTexts> }) {
  const reset = useResetPhrases();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const run = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await reset();
      form.discard();
      form.announce(messages.resetDone);
      setAsking(false);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <Button icon={<RotateCcw aria-hidden="true" />} onClick={() => setAsking(true)}>
        {messages.reset}
      </Button>
      <Confirm
        open={asking}
        title={messages.reset}
        confirmLabel={busy ? 'Ripristino…' : 'Ripristina tutto'}
        onCancel={() => {
          setAsking(false);
          setFailure(null);
        }}
        onConfirm={() => {
          if (!busy) {
            void run();
          }
        }}
      >
        <p>{messages.resetQuestion}</p>
        {form.dirty ? <p>Anche le modifiche che non hai ancora salvato andranno perse.</p> : null}
        {failure ? (
          <Message kind="error" title="Errore nel ripristino della configurazione">
            <FaultText error={failure} />
          </Message>
        ) : null}
      </Confirm>
    </>
  );
}
