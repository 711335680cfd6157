import { Send as Plane } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { TestResult } from '../../shared/api/schema';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { isProblem, refusalOf, ToldError } from '../common/errors';
import { useSettings } from './settings-page';

interface TrialProps {
  label: string;
  busyLabel: string;
  hint: ReactNode;
  failed: string;
  blocked: boolean;
  ask: () => Promise<TestResult>;
}

/** Tries what stands in the form, saved or not. What is wrong with fields is said there too. */
export function Trial({ label, busyLabel, hint, failed, blocked, ask }: TrialProps) {
  const { refuse } = useSettings();
  const action = useAction();
  const id = useId();
  const run = async () => {
    try {
      const { success, message } = await ask();
      if (success) {
        return message;
      }
      throw new ToldError(message);
    } catch (error) {
      if (isProblem(error, 'dati-non-validi')) {
        refuse(error.errors);
        throw new ToldError(refusalOf(error));
      }
      throw error;
    }
  };
  return (
    <Stack>
      <Text small tone="muted" id={id}>
        {hint}
      </Text>
      <Row>
        <Send
          busy={action.busy}
          blocked={blocked}
          busyLabel={busyLabel}
          icon={<Plane />}
          aria-describedby={id}
          onClick={() => void action.run(run)}
        >
          {label}
        </Send>
      </Row>
      <Failure of={action} title={failed} />
    </Stack>
  );
}
