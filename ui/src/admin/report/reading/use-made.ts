import { useEffect, useState } from 'react';

/** The result of an asynchronous `make`, once it is there; `make` is declared outside of the component. */
export function useMade<From, Made>(
  make: (from: From, signal: AbortSignal) => Promise<Made>,
  from: From,
): { made?: Made; failure?: unknown } {
  const [state, setState] = useState<{ of?: From; made?: Made; failure?: unknown }>({});
  useEffect(() => {
    const gone = new AbortController();
    make(from, gone.signal).then(
      (made) => gone.signal.aborted || setState({ of: from, made }),
      (failure: unknown) => gone.signal.aborted || setState({ of: from, failure }),
    );
    return () => gone.abort();
  }, [make, from]);
  return state.of === from ? state : {};
}
