/** One message to the reporters of the chosen reports, written above the bar. */
import { useState } from 'react';
import type { CalloutQuestion, MessagesSent, ReportRow } from '../../shared/api/schema';
import { useLeaveGuard } from '../common/leave-guard';
import { reporterName } from '../common/reporter-name';
import { useToast } from '../common/toast';
import { useRefresh } from '../common/use-read';
import { sendToMany, sentText, takeBack, UNSENT } from '../letters/batches';
import { Letter } from '../letters/letter';

interface WritingProps {
  /** Of their reports. */
  ids: readonly string[];
  /** The rows of the page, which know who has no code. */
  rows: readonly ReportRow[];
  onSent: (refused: MessagesSent['refused']) => void;
  onClose: () => void;
}

export function Writing({ ids, rows, onSent, onClose }: WritingProps) {
  const [text, setText] = useState('');
  const [questions, setQuestions] = useState<readonly CalloutQuestion[]>([]);
  const { show } = useToast();
  const refresh = useRefresh();
  const without = rows.filter((row) => !row.code && ids.includes(row.id));
  useLeaveGuard(text.trim() !== '' || questions.length > 0, UNSENT);
  const send = async (said: string, key: string) => {
    const { batch, sent, refused } = await sendToMany({
      ids: [...ids],
      text: said,
      key,
      questions: [...questions],
    });
    onSent(refused.filter(({ id }) => without.every((one) => one.id !== id)));
    void refresh('/messages/bulk', '/reports');
    const undo = async () => {
      const told = await takeBack(batch);
      await refresh('/messages/bulk', '/reports');
      return told;
    };
    show({ text: `${sentText(sent)}. Chi risponde: in Ultime modifiche`, ...(sent > 0 && { undo }) });
  };
  return (
    <Letter
      readers={ids.length - without.length}
      others={without.map(reporterName)}
      text={text}
      onText={setText}
      asked={{ questions, onQuestions: setQuestions }}
      onSend={send}
      onClose={onClose}
    />
  );
}
