/** Something a button asks of the server, and what came of it. Must never run twice at once. */
import { useRef, useState } from 'react';

export interface Action {
  busy: boolean;
  /** Why it failed; stays until dismissed or tried again. */
  failure: unknown;
  news: { text: string } | null;
  /** Runs the work, which answers with good news or with nothing to tell. True when it succeeded. */
  run: (work: () => Promise<string | undefined>) => Promise<boolean>;
  /** Good news of something else. */
  announce: (text: string) => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

const IDLE = { busy: false, failure: null as unknown, news: null as Action['news'] };

export function useAction(): Action {
  const [state, setState] = useState(IDLE);
  const running = useRef(false);
  const run: Action['run'] = async (work) => {
    if (running.current) {
      return false;
    }
    running.current = true;
    setState({ ...IDLE, busy: true });
    try {
      const text = await work();
      setState({ ...IDLE, news: text ? { text } : null });
      return true;
    } catch (failure) {
      setState({ ...IDLE, failure });
      return false;
    } finally {
      running.current = false;
    }
  };
  return {
    ...state,
    run,
    announce: (text) => setState((now) => ({ ...now, news: { text } })),
    dismissFailure: () => setState((now) => ({ ...now, failure: null })),
    dismissNews: () => setState((now) => ({ ...now, news: null })),
  };
}
