import type { ReactNode } from 'react';

/** Placeholder of the size of what is to come, with words for those who do not see it. */
export function Loading({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div aria-busy="true">
      <p className="visually-hidden" role="status">
        {label}
      </p>
      {children}
    </div>
  );
}
