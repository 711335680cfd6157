/** Where a refusal is told. Must leave what was typed as it is. */
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Leads to the first field in the area that the server refused; true as long as one of them tells why. */
export function useRefusal(area: RefObject<HTMLElement | null>, failure: unknown): boolean {
  const [told, setTold] = useState(false);
  useLayoutEffect(() => {
    const wrong = failure ? area.current?.querySelector<HTMLElement>('[aria-invalid="true"]') : null;
    wrong?.focus({ preventScroll: true });
    // In the middle, so that neither the bar below nor the one above hides it or its message.
    wrong?.scrollIntoView({ block: 'center' });
    setTold(Boolean(wrong));
  }, [area, failure]);
  return told;
}
