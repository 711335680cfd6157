import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { useBranding } from '../common/branding';
import { saveFile } from '../common/save-file';
import { reportKey } from './queries';

export interface RecordPrinter {
  busy: boolean;
  failure: unknown;
  news: { text: string } | null;
  /** Makes and saves the PDF; `unsaved` tells that the form holds changes which are not in it. */
  print: (report: ReportDetail, unsaved: boolean) => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

/** The part that draws is large, and most visits never need it. */
async function loadMaker() {
  try {
    return await import('../pdf/make-record');
  } catch (error) {
    throw new NetworkError(false, error);
  }
}

/** Makes the PDF record. Nothing leaves the panel before the server has noted that it does (PRODUCT.md §6). */
export function useRecord(): RecordPrinter {
  const client = useQueryClient();
  const { productName } = useBranding();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);

  const make = async (report: ReportDetail, unsaved: boolean) => {
    setBusy(true);
    setFailure(null);
    setNews(null);
    try {
      const { makeRecord } = await loadMaker();
      const { file, name } = await makeRecord(report, productName);
      await call('post', '/reports/{id}/exports', { path: { id: report.id }, body: { kind: 'pdf' } });
      saveFile(file, name);
      setNews({
        text: unsaved
          ? 'Scheda PDF scaricata, senza le modifiche non ancora salvate.'
          : 'Scheda PDF scaricata.',
      });
      void client.invalidateQueries({ queryKey: reportKey(report.id) });
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
    print: (report, unsaved) => {
      if (!busy) {
        void make(report, unsaved);
      }
    },
    dismissFailure: () => setFailure(null),
    dismissNews: () => setNews(null),
  };
}
