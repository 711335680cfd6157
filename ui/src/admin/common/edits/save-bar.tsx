import { useId } from 'react';
import { ApiProblem } from '../../../shared/api/errors';
import { Button } from '../../../shared/ui/button';
import { Message } from '../../../shared/ui/message';
import { Spinner } from '../../../shared/ui/spinner';
import { StatusMessage } from '../../../shared/ui/status-message';
import { FaultText } from '../error-card';
import { isProblem } from '../errors';
import type { Fields } from './edits';
import styles from './save-bar.module.css';
import type { EditsForm } from './use-edits';

/** Id of the form: a field that names it in `form` saves on Enter, wherever on the page it stands. */
export const SAVE_FORM = 'salva';

interface SaveBarProps<V extends Fields> {
  form: EditsForm<V>;
  /** Title of the message when a save fails. */
  failureTitle: string;
  /** Names of the fields on this page: what the server says of another one is told here. */
  fields: (key: string) => boolean;
}

/** Saves what is typed on the page; stays in sight while there is something to save or to tell. */
export function SaveBar<V extends Fields>({ form, failureTitle, fields }: SaveBarProps<V>) {
  const { dirty, saving, failure, news } = form;
  const text = useId();
  const elsewhere = failure instanceof ApiProblem ? Object.entries(failure.errors) : [];
  return (
    <form
      id={SAVE_FORM}
      noValidate
      className={styles.bar}
      data-busy={dirty || Boolean(failure) || news !== null || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        form.save();
      }}
    >
      {failure ? (
        <div className={styles.failure}>
          <Message kind="error" title={failureTitle} onDismiss={form.dismissFailure}>
            {isProblem(failure, 'dati-non-validi') ? <p>{failure.detail}</p> : <FaultText error={failure} />}
            {elsewhere
              .filter(([key]) => !fields(key))
              .map(([key, message]) => (
                <p key={key}>{message}</p>
              ))}
          </Message>
        </div>
      ) : null}
      <div className={styles.row}>
        <div className={styles.state}>
          <StatusMessage message={news} onDone={form.dismissNews} />
          {dirty && !news ? <p id={text}>Modifiche non salvate</p> : null}
        </div>
        {dirty ? (
          <Button variant="quiet" inactive={saving} onClick={form.discard}>
            Scarta
          </Button>
        ) : null}
        <Button
          type="submit"
          variant="primary"
          inactive={!dirty || saving}
          aria-describedby={dirty && !news ? text : undefined}
          icon={saving ? <Spinner /> : undefined}
        >
          {saving ? 'Salvataggio...' : 'Salva Modifiche'}
        </Button>
      </div>
    </form>
  );
}

/** Says that unsaved changes came back after a login. */
export function RecoveredNotice<V extends Fields>({ form }: { form: EditsForm<V> }) {
  return form.recovered ? (
    <div className={styles.recovered}>
      <Message kind="info" onDismiss={form.dismissRecovered}>
        <p>La sessione era finita prima del salvataggio: abbiamo conservato ciò che avevi scritto.</p>
      </Message>
    </div>
  ) : null;
}
