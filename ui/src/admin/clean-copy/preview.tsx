import type { ReportDetail } from '../../shared/api/schema';
import { Fact, Facts } from '../../shared/ui/facts';
import { Stack, Text } from '../../shared/ui/layout';
import { fieldsOf, shownIn } from './fields';
import { covered } from './places';
import type { Choice } from './use-choice';

interface PreviewProps {
  report: ReportDetail;
  characters: readonly string[];
  choice: Choice;
}

/** What leaves, once this choice is saved. */
export function Preview({ report, characters, choice }: PreviewProps) {
  return (
    <Stack gap={4}>
      <Facts>
        {fieldsOf(report).map((field) => (
          <Fact key={field.name} name={field.label}>
            {shownIn(field, choice)}
          </Fact>
        ))}
      </Facts>
      <Text kept>{covered(characters, choice.spans)}</Text>
    </Stack>
  );
}
