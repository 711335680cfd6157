/** The test mail: with the settings as they stand in the form, saved or not. Must never save anything. */
import { useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import type { EditsForm } from '../common/edits/use-edits';
import { faultOf, isProblem, refusalOf } from '../common/errors';
import { messages } from './messages';
import { changesFor, type EmailForm, type EmailSection } from './sections';

/** A mail server may take its time: longer than the server itself waits for it. */
const PATIENCE_MS = 90_000;

/** With another of these it is another login, for which the stored password does not count (PRODUCT.md §7). */
const LOGIN = ['smtpHost', 'smtpPort', 'smtpUsername'] as const;
/** What a test depends on. */
const TRIED = [...LOGIN, 'smtpPassword', 'smtpSecure', 'emailRecipient', 'emailFrom'] as const;

type Tried = Partial<Pick<EmailForm, (typeof TRIED)[number]>>;

export interface EmailTest {
  /** Server, user and password are there. */
  possible: boolean;
  /** The stored password does not count for the login in the form. */
  needsPassword: boolean;
  busy: boolean;
  /** The form is as it was when its test failed. */
  failed: boolean;
  /** Why the last test failed, in Italian; stays until dismissed or tested again. */
  failure: string | null;
  news: { text: string } | null;
  run: () => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

function triedOf(form: EditsForm<EmailForm>): Tried {
  const changed = TRIED.filter((key) => form.changed.has(key));
  return Object.fromEntries(changed.map((key) => [key, form.values[key]]));
}

function reasonOf(error: unknown): string {
  if (error instanceof NetworkError) {
    return `${messages.email.noConnection}: ${faultOf(error).text}`;
  }
  return (error instanceof ApiProblem && refusalOf(error)) || messages.email.testFailed;
}

export function useEmailTest(form: EditsForm<EmailForm>, email: EmailSection): EmailTest {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [failedOn, setFailedOn] = useState<string | null>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const { smtpHost, smtpUsername, smtpPassword } = form.values;
  const present = TRIED.map((key) => form.values[key]).join('\n');
  const otherLogin = LOGIN.some((key) => form.changed.has(key));
  const stored = email.smtpPasswordSet && smtpPassword === null && !otherLogin;
  const possible = smtpHost.trim() !== '' && smtpUsername.trim() !== '' && (Boolean(smtpPassword) || stored);

  const run = async () => {
    setBusy(true);
    setFailure(null);
    setNews(null);
    try {
      const body = changesFor<EmailSection>(triedOf(form), email);
      const { success, message } = await call('post', '/settings/email/test', {
        body,
        timeoutMs: PATIENCE_MS,
      });
      setFailedOn(success ? null : present);
      if (success) {
        setNews({ text: message });
      } else {
        setFailure(message || messages.email.testFailed);
      }
    } catch (error) {
      if (isProblem(error, 'dati-non-validi')) {
        // Nothing was tried, so there is no failed test to ask about before a save.
        form.refuse(error.errors);
        setFailedOn(null);
      } else {
        setFailedOn(present);
      }
      setFailure(reasonOf(error));
    } finally {
      setBusy(false);
    }
  };

  return {
    possible,
    needsPassword: email.smtpPasswordSet && smtpPassword === null && otherLogin,
    busy,
    failed: failedOn === present,
    failure,
    news,
    run: () => {
      if (possible && !busy) {
        void run();
      }
    },
    dismissFailure: () => setFailure(null),
    dismissNews: () => setNews(null),
  };
}
