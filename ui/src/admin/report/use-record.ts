import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { useBranding } from '../common/branding';
import { saveFile } from '../common/downloads';
import { type Action, useAction } from '../common/use-action';
import { reportKey } from './queries';

interface RecordPrinter extends Action {
  /** Makes and saves the PDF; `unsaved` tells that the form holds changes which are not in it. */
  print: (report: ReportDetail, unsaved: boolean) => void;
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
  const action = useAction();
  const print = (report: ReportDetail, unsaved: boolean) =>
    void action.run(async () => {
      const { makeRecord } = await loadMaker();
      const { file, name } = await makeRecord(report, productName);
      await call('post', '/reports/{id}/exports', { path: { id: report.id }, body: { kind: 'pdf' } });
      saveFile(file, name);
      void client.invalidateQueries({ queryKey: reportKey(report.id) });
      return unsaved
        ? 'Scheda PDF scaricata, senza le modifiche non ancora salvate.'
        : 'Scheda PDF scaricata.';
    });
  return { ...action, print };
}
