import { useQueryClient } from '@tanstack/react-query';
import { MessageCircle, RotateCcw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { get } from 'react-hook-form';
import { useSearchParams } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { Phrases, Security } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { ErrorCard, FaultText } from '../common/error-card';
import { RecoveredNotice, SaveBar } from '../common/forms/save-bar';
import { type SavedForm, useSavedForm } from '../common/forms/use-saved-form';
import { useLeaveGuard } from '../common/leave-guard';
import { Loading } from '../common/loaded';
import { Page } from '../common/page';
import { adopt, useRead } from '../common/use-read';
import { PhraseField } from './phrase-field';
import { PlaceholderCard } from './placeholder-card';
import { faultOfPhrase, type PlaceholderValues } from './placeholders';
import { Preview } from './preview';
import styles from './prompts-page.module.css';
import { RehearsalDialog } from './rehearsal-dialog';
import { SectionMenu } from './section-menu';
import {
  isSectionKey,
  mainPhrase,
  type PhraseKey,
  phrasesOf,
  type Section,
  type SectionKey,
  sectionOf,
  sectionWith,
} from './sections';

export function PromptsPage() {
  const phrases = useRead('/prompts');
  // The rules whose figures stand in the phrases.
  const rules = useRead('/settings/security');
  const failed = phrases.error ?? rules.error;
  if (phrases.data && rules.data) {
    return <Editor phrases={phrases.data} rules={rules.data} />;
  }
  return (
    <Page title="Configurazione Prompt" subtitle={SUBTITLE}>
      {failed ? (
        <ErrorCard
          title="Non è stato possibile caricare le frasi"
          error={failed}
          onRetry={() => void Promise.all([phrases.refetch(), rules.refetch()])}
        />
      ) : (
        <Loading label="Caricamento delle frasi…">
          <div className={styles.columns}>
            <Card>
              <Skeleton lines={9} />
            </Card>
            <Card>
              <Skeleton lines={8} tall />
            </Card>
          </div>
        </Loading>
      )}
    </Page>
  );
}

const SUBTITLE = 'Le frasi che l’assistente dice nella chat pubblica';

function Editor({ phrases, rules }: { phrases: Phrases; rules: Security }) {
  const client = useQueryClient();
  const [current, choose] = useSection();
  const saved = useSavedForm<Phrases>({
    name: 'prompts',
    saved: phrases,
    send: async (changes) =>
      adopt(client, ['/prompts'], await call('put', '/prompts', { body: phrasesOf(changes) })),
    success: 'Configurazione salvata con successo!',
    onRefused: (fields) => {
      const wrong = fields.map(sectionWith).filter((section) => section !== undefined);
      const first = wrong[0];
      if (first && !wrong.some((section) => section.key === current)) {
        choose(first.key);
      }
    },
  });
  const { form, changed } = saved;
  const texts = form.watch();
  const { errors } = form.formState;
  const values = usePlaceholderValues(rules);
  /** The phrases as they were when the run-through began. */
  const [trying, setTrying] = useState<Phrases | null>(null);
  const sought = useRef<PhraseKey | null>(null);
  useLeaveGuard(saved.dirty, 'Hai modificato le frasi della chat. Se esci adesso, le modifiche vanno perse.');

  // After the dialog has closed and given the focus back, it goes to the text that has to be put right.
  useEffect(() => {
    if (!trying && sought.current) {
      document.getElementById(areaId(sought.current))?.querySelector('textarea')?.focus();
      sought.current = null;
    }
  });

  return (
    <Page
      title="Configurazione Prompt"
      subtitle={SUBTITLE}
      actions={
        <>
          <Button icon={<MessageCircle aria-hidden="true" />} onClick={() => setTrying(texts)}>
            Prova la chat
          </Button>
          <Reset form={saved} />
        </>
      }
    >
      <RecoveredNotice form={saved} />
      <div className={styles.columns}>
        <SectionMenu
          current={current}
          onChoose={choose}
          changed={(section) => section.phrases.some(({ key }) => changed.includes(key))}
          wrong={(section) =>
            section.phrases.some(({ key }) => get(errors, key) ?? faultOfPhrase(get(texts, key)))
          }
        />
        <SectionEditor
          key={current}
          section={sectionOf(current)}
          form={saved}
          texts={texts}
          values={values}
        />
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
  form: SavedForm<Phrases>;
  texts: Phrases;
  values: PlaceholderValues;
}

/** The texts of one section, and how the one being worked on looks. */
function SectionEditor({ section, form, texts, values }: SectionEditorProps) {
  const [focused, setFocused] = useState<PhraseKey | null>(null);
  const shown = section.phrases.find((phrase) => phrase.key === focused) ?? mainPhrase(section);
  return (
    <>
      <div ref={form.area}>
        <Card title={section.label}>
          <Stack gap={6}>
            {section.phrases.map((phrase) => (
              <div key={phrase.key} id={areaId(phrase.key)}>
                <PhraseField
                  phrase={phrase}
                  control={form.form.control}
                  onFocus={() => setFocused(phrase.key)}
                />
              </div>
            ))}
          </Stack>
        </Card>
        <SaveBar form={form} failureTitle="Errore nel salvataggio della configurazione" />
      </div>
      <Stack gap={6} className={styles.aside}>
        <Preview phrase={shown} text={get(texts, shown.key)} values={values} />
        <PlaceholderCard values={values} />
      </Stack>
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
function Reset({ form }: { form: SavedForm<Phrases> }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const action = useAction();
  const { busy, failure } = action;
  const reset = async () => {
    await adopt(client, ['/prompts'], await call('delete', '/prompts', {}));
    form.discard();
    form.announce('Configurazione ripristinata ai valori predefiniti');
    setAsking(false);
    return null;
  };

  return (
    <>
      <Button icon={<RotateCcw aria-hidden="true" />} onClick={() => setAsking(true)}>
        Reset Default
      </Button>
      <Confirm
        open={asking}
        title="Reset Default"
        confirmLabel={busy ? 'Ripristino…' : 'Ripristina tutto'}
        onCancel={() => {
          setAsking(false);
          action.dismissFailure();
        }}
        onConfirm={() => void action.run(reset)}
      >
        <p>Sei sicuro di voler ripristinare tutti i prompt ai valori predefiniti?</p>
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
