import { useQueryClient } from '@tanstack/react-query';
import { MessageCircle, RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { get } from 'react-hook-form';
import { useSearchParams } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { Phrases } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Stack } from '../../shared/ui/layout';
import { Asked, Failure, useAction } from '../common/action';
import { useBranding } from '../common/branding';
import { RecoveredNotice, SaveBar } from '../common/forms/save-bar';
import { type SavedForm, useSavedForm } from '../common/forms/use-saved-form';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { adopt, keyOf, useRead } from '../common/use-read';
import { PhraseField } from './phrase-field';
import { PlaceholderCard, Preview } from './preview';
import styles from './prompts-page.module.css';
import { RehearsalDialog } from './rehearsal-dialog';
import { SectionMenu } from './section-menu';
import {
  mainPhrase,
  type PhraseKey,
  type PlaceholderValues,
  phrasesOf,
  SECTIONS,
  type Section,
  type SectionKey,
  sectionWith,
} from './sections';

const HEAD = {
  title: 'Configurazione Prompt',
  subtitle: 'Le frasi che l’assistente dice nella chat pubblica',
};

export function PromptsPage() {
  const phrases = useRead('/prompts');
  return phrases.data ? (
    <Editor phrases={phrases.data} />
  ) : (
    <Page {...HEAD}>
      <Loaded
        query={phrases}
        loading="Caricamento delle frasi…"
        failed="Non è stato possibile caricare le frasi"
      >
        {() => null}
      </Loaded>
    </Page>
  );
}

function Editor({ phrases }: { phrases: Phrases }) {
  const client = useQueryClient();
  const [section, choose] = useSection();
  /** Leads to a text that the server refuses; false where none is on this page. */
  const lead = (fields: readonly string[]) => {
    const wrong = fields.map(sectionWith).filter((one) => one !== undefined);
    if (wrong[0] && !wrong.includes(section)) {
      choose(wrong[0].key);
    }
    return wrong.length > 0;
  };
  const saved = useSavedForm<Phrases>({
    name: 'prompts',
    saved: phrases,
    send: async (changes) =>
      adopt(client, keyOf('/prompts'), await call('put', '/prompts', { body: phrasesOf(changes) })),
    success: 'Configurazione salvata con successo!',
    onRefused: lead,
  });
  const { form, changed, area } = saved;
  const { errors } = form.formState;
  const texts = form.watch();
  const resetting = useAction();
  /** The phrases as they were when the run-through began. */
  const [trying, setTrying] = useState<Phrases | null>(null);
  useLeaveGuard(saved.dirty, 'Hai modificato le frasi della chat. Se esci adesso, le modifiche vanno perse.');

  // After a run-through has closed and given the focus back, it goes to what has to be put right.
  useEffect(() => {
    if (!trying) {
      area.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [trying, area]);

  const reset = async () => {
    await adopt(client, keyOf('/prompts'), await call('delete', '/prompts', {}));
    saved.discard();
    return 'Configurazione ripristinata ai valori predefiniti';
  };
  const refused = (faults: Readonly<Record<string, string>>) => {
    const found = lead(Object.keys(faults));
    if (found) {
      saved.refuse(faults);
      setTrying(null);
    }
    return found;
  };
  const noteOf = ({ phrases: own }: Section) => {
    if (own.some(({ key }) => get(errors, key))) {
      return 'da correggere';
    }
    return own.some(({ key }) => changed.includes(key)) ? 'modificata' : null;
  };

  return (
    <Page
      {...HEAD}
      actions={
        <>
          <Button icon={<MessageCircle />} onClick={() => setTrying(texts)}>
            Prova la chat
          </Button>
          <Asked
            of={resetting}
            label="Reset Default"
            confirmLabel="Ripristina tutto"
            variant="secondary"
            icon={<RotateCcw />}
            work={reset}
          >
            <p>Sei sicuro di voler ripristinare tutti i prompt ai valori predefiniti?</p>
            {saved.dirty ? <p>Anche le modifiche che non hai ancora salvato andranno perse.</p> : null}
          </Asked>
        </>
      }
    >
      <Failure of={resetting} title="Errore nel ripristino della configurazione" />
      <RecoveredNotice form={saved} />
      <div className={styles.columns}>
        <SectionMenu current={section.key} onChoose={choose} noteOf={noteOf} />
        <SectionEditor key={section.key} section={section} form={saved} texts={texts} />
      </div>
      {trying ? (
        <RehearsalDialog subject={{ prompts: trying }} onClose={() => setTrying(null)} onRefused={refused} />
      ) : null}
    </Page>
  );
}

interface SectionEditorProps {
  section: Section;
  form: SavedForm<Phrases>;
  texts: Phrases;
}

function SectionEditor({ section, form, texts }: SectionEditorProps) {
  const values = usePlaceholderValues();
  const [focused, setFocused] = useState<PhraseKey | null>(null);
  const shown = section.phrases.find((phrase) => phrase.key === focused) ?? mainPhrase(section);
  return (
    <>
      <div ref={form.area}>
        <Card title={section.label}>
          <Stack gap={6}>
            {section.phrases.map((phrase) => (
              <PhraseField
                key={phrase.key}
                phrase={phrase}
                control={form.form.control}
                onFocus={() => setFocused(phrase.key)}
              />
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

/** The section on screen. The address follows it, because the router changes that later than the page has to. */
function useSection(): [Section, (key: SectionKey) => void] {
  const [query, setQuery] = useSearchParams();
  const [current, setCurrent] = useState(query.get('sezione'));
  const choose = (key: SectionKey) => {
    setCurrent(key);
    setQuery({ sezione: key }, { replace: true });
  };
  return [SECTIONS.find(({ key }) => key === current) ?? (SECTIONS[0] as Section), choose];
}

function usePlaceholderValues(): PlaceholderValues {
  const { assistantName, organizationName } = useBranding();
  const { data } = useRead('/settings/security');
  return {
    name: assistantName,
    org: organizationName,
    minChars: String(data?.minReportLength ?? '…'),
    minWords: String(data?.minWordCount ?? '…'),
  };
}
