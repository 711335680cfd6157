import { useRef, useState } from 'react';

export interface Action {
  busy: boolean;
  /** Why it failed; stays until dismissed or tried again. */
  failure: unknown;
  news: { text: string } | null;
  /** Does one thing at a time; asked for another meanwhile, it does nothing. The work gives good news, if any. True when it succeeded. */
  run: (work: () => Promise<string | null>) => Promise<boolean>;
  /** Good news of something else. */
  announce: (text: string) => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

const IDLE = { busy: false, failure: null as unknown, news: null as Action['news'] };

/** Something a click asks of the server, and how it goes. `ActionNews` shows what came of it. */
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
      setState({ ...IDLE, news: text === null ? null : { text } });
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
