import { type ReactNode, useEffect, useId, useRef } from 'react';
import { type FieldValues, get } from 'react-hook-form';
import { Button } from '../../../shared/ui/button';
import { Row } from '../../../shared/ui/layout';
import { Message } from '../../../shared/ui/message';
import { Send } from '../action';
import { FaultText } from '../error-card';
import { errorsOf } from '../errors';
import styles from './save-bar.module.css';
import type { EditForm } from './use-edit-form';
import type { SavedForm } from './use-saved-form';

/** Id of the form: a field that names it in `form` saves on Enter, wherever on the page it stands. */
export const SAVE_FORM = 'salva';

interface SaveBarProps<V extends FieldValues> {
  form: SavedForm<V>;
  failureTitle: string;
  onSave?: (() => void) | undefined;
  /** Leads to a field that is refused and stands on another page. */
  elsewhere?: ((field: string) => ReactNode) | undefined;
}

/** Saves what is typed on the page; stays in sight while there is something to save or to tell. */
export function SaveBar<V extends FieldValues>({
  form,
  failureTitle,
  onSave = form.save,
  elsewhere,
}: SaveBarProps<V>) {
  const { dirty, busy, failure } = form;
  const { errors } = form.form.formState;
  const refused = Object.keys(errorsOf(failure));
  // A refusal is over when none of the fields that it names is as it was.
  const stands = failure && (refused.length === 0 || refused.some((field) => get(errors, field)));
  const text = useId();
  const bar = useBarHeight();
  return (
    <form
      ref={bar}
      id={SAVE_FORM}
      noValidate
      className={styles.bar}
      data-busy={dirty || Boolean(stands) || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {stands ? (
        <Message kind="error" title={failureTitle} onDismiss={form.dismissFailure}>
          <Refusal form={form} elsewhere={elsewhere} />
        </Message>
      ) : null}
      <Row justify="end" className={styles.row}>
        <div className={styles.state}>{dirty ? <p id={text}>Modifiche non salvate</p> : null}</div>
        {dirty ? (
          <Button variant="quiet" inactive={busy} onClick={form.discard}>
            Scarta
          </Button>
        ) : null}
        <Send
          variant="primary"
          busy={busy}
          blocked={!dirty}
          busyLabel="Salvataggio..."
          aria-describedby={dirty ? text : undefined}
        >
          Salva Modifiche
        </Send>
      </Row>
    </form>
  );
}

/** Keeps `--save-bar` at the bar's height: by it the page knows what lies under the bar. */
function useBarHeight() {
  const bar = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const form = bar.current;
    const watch = new ResizeObserver(() => {
      document.documentElement.style.setProperty('--save-bar', `${form?.offsetHeight ?? 0}px`);
    });
    if (form) {
      watch.observe(form);
    }
    return () => watch.disconnect();
  }, []);
  return bar;
}

function Refusal<V extends FieldValues>({ form, elsewhere }: Pick<SaveBarProps<V>, 'form' | 'elsewhere'>) {
  const { failure } = form;
  const wrong = Object.entries(errorsOf(failure));
  const told = wrong.map(([field, message]) => {
    const place = elsewhere?.(field);
    const hidden = place || get(form.form.getValues(), field) === undefined;
    return hidden ? (
      <p key={field}>
        {place ? <>{place}: </> : null}
        {message}
      </p>
    ) : null;
  });
  return wrong.length > 0 ? told : <FaultText error={failure} />;
}

type Recovered = Pick<EditForm<FieldValues>, 'recovered' | 'dismissRecovered'>;

export function RecoveredNotice({ form }: { form: Recovered }) {
  return form.recovered ? (
    <Message kind="info" onDismiss={form.dismissRecovered}>
      <p>La sessione era finita prima del salvataggio: abbiamo conservato ciò che avevi scritto.</p>
    </Message>
  ) : null;
}
