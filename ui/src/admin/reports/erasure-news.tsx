import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { StatusMessage } from '../../shared/ui/status-message';
import { readTrail } from '../common/paths';

/** Says, once, what was erased on the page that led here. */
export function ErasureNews() {
  const { state, search } = useLocation();
  const navigate = useNavigate();
  const { erased } = readTrail(state);
  const [news, setNews] = useState<{ text: string } | null>(null);
  useEffect(() => {
    if (erased !== undefined) {
      const text = erased === 1 ? 'Segnalazione cancellata.' : `${erased} segnalazioni cancellate.`;
      setNews({ text });
      // A reload must not say it again.
      navigate({ search }, { replace: true, state: null });
    }
  }, [erased, search, navigate]);
  return <StatusMessage message={news} onDone={() => setNews(null)} />;
}
