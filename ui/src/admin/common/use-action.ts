import { useState } from 'react';

export interface Action {
  busy: boolean;
  failure: unknown;
  news: { text: string } | null;
  /** Does one thing at a time; asked for another meanwhile, it does nothing. What comes of it is the good news, if any. */
  run: (work: () => Promise<string | null>) => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

/** Something a click asks of the server, and how it goes. `ActionNews` shows what came of it. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<Action['news']>(null);

  const go = async (work: () => Promise<string | null>) => {
    setBusy(true);
    setFailure(null);
    setNews(null);
    try {
      const text = await work();
      setNews(text === null ? null : { text });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    failure,
    news,
    run: (work) => {
      if (!busy) {
        void go(work);
      }
    },
    dismissFailure: () => setFailure(null),
    dismissNews: () => setNews(null),
  };
}
