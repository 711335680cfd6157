import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { buttonClass } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { paths } from '../common/paths';
import { type Filters, writeFilters } from './filters';

interface PagerProps {
  filters: Filters;
  prevCursor: string | null;
  nextCursor: string | null;
}

/** Previous and next page of the selection; nothing at all when everything fits on one. */
export function Pager({ filters, prevCursor, nextCursor }: PagerProps) {
  if (!prevCursor && !nextCursor) {
    return null;
  }
  return (
    <Row as="nav" justify="between" aria-label="Pagine">
      <Step filters={filters} cursor={prevCursor}>
        <ChevronLeft aria-hidden="true" />
        Precedente
      </Step>
      <Step filters={filters} cursor={nextCursor}>
        Successiva
        <ChevronRight aria-hidden="true" />
      </Step>
    </Row>
  );
}

interface StepProps {
  filters: Filters;
  cursor: string | null;
  children: ReactNode;
}

function Step({ filters, cursor, children }: StepProps) {
  if (!cursor) {
    // A link that leads nowhere: told as such instead of vanishing from under the pointer.
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: a link without address is not in the tab order
      // biome-ignore lint/a11y/useSemanticElements: an anchor without address is what this is
      <span className={buttonClass} data-variant="secondary" role="link" aria-disabled="true">
        {children}
      </span>
    );
  }
  return (
    <Link
      className={buttonClass}
      data-variant="secondary"
      to={paths.reports + writeFilters({ ...filters, cursor })}
    >
      {children}
    </Link>
  );
}
