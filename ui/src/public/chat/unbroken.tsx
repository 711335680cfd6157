import type { ReactNode } from 'react';

/** A text whose numbers in groups stay on one line each. */
export const unbroken = (text: string): ReactNode =>
  text.split(/(\d+(?: \d+)+)/).map((part, place) =>
    place % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change
      <span key={place} className="unbroken">
        {part}
      </span>
    ) : (
      part
    ),
  );
