/** A text that is typed and sent. Must never lose what was typed when it does not arrive. */
import { type ReactNode, useState } from 'react';
import { SendKey } from '../../shared/lib/send-key';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { AreaField } from '../../shared/ui/text-field';
import { type Action, Send } from '../common/action';
import { useLeaveGuard } from '../common/leave-guard';

const CHARS = 5000;

interface WritingProps {
  label: string;
  send: string;
  loss: string;
  first?: string;
  templates?: readonly Option<string>[];
  action: Action;
  /** Sends it under that key, the same for the same text; gives good news, if any. */
  onSend: (text: string, key: string) => Promise<unknown>;
  onCancel?: () => void;
  /** Above the button. */
  children?: ReactNode;
}

export function Writing({
  label,
  first = '',
  templates = [],
  action,
  onSend,
  onCancel,
  children,
  ...words
}: WritingProps) {
  const [text, setText] = useState(first);
  const [key] = useState(() => new SendKey());
  const empty = text.trim() === '';
  const dirty = !empty && text !== first;
  useLeaveGuard(dirty, words.loss);
  const send = async () => {
    const news = await onSend(text, key.of(text));
    key.arrived();
    setText('');
    return news;
  };
  return (
    <Form label={label} gap={2} onSubmit={() => dirty && void action.run(send)}>
      {templates.length > 0 ? (
        <SelectField
          label="Risposte pronte"
          value=""
          options={[{ value: '', label: 'Scegli…' }, ...templates]}
          onValue={(chosen) => setText(empty ? chosen : `${text}\n\n${chosen}`)}
        />
      ) : null}
      <AreaField label={label} rows={3} maxLength={CHARS} value={text} onValue={setText} />
      {children}
      <Row>
        <Send busy={action.busy} blocked={!dirty}>
          {words.send}
        </Send>
        {onCancel ? (
          <Button variant="quiet" onClick={onCancel}>
            Annulla
          </Button>
        ) : null}
      </Row>
    </Form>
  );
}
