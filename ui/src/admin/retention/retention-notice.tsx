import { Link } from 'react-router-dom';
import { formatDate } from '../../shared/lib/dates';
import { Message } from '../../shared/ui/message';
import { paths } from '../common/paths';
import { useRetention, warningOf } from '../common/retention';

/** Stands where reports are listed as long as the age of some is about to erase them (PRODUCT.md §9). */
export function RetentionNotice() {
  const { data } = useRetention();
  if (!data || data.warned === 0) {
    return null;
  }
  return (
    <Message kind="warning">
      <p>
        {warningOf(data)} {data.next ? `La prima il ${formatDate(data.next)}. ` : null}
        <Link to={paths.retention}>{data.warned === 1 ? 'Mostrala' : 'Mostrale'}</Link>
      </p>
    </Message>
  );
}
