import type { ComponentPropsWithRef } from 'react';

interface ActProps extends ComponentPropsWithRef<'button'> {
  /** The main action of the page, one in view at a time. */
  main?: boolean;
  quiet?: boolean | undefined;
  danger?: boolean;
}

/** A button of the pages for reporters. */
export function Act({ main, quiet, danger, className, ...rest }: ActProps) {
  return (
    <button
      type="button"
      {...rest}
      className={className ? `button ${className}` : 'button'}
      data-main={main ? '' : undefined}
      data-quiet={quiet ? '' : undefined}
      data-danger={danger ? '' : undefined}
    />
  );
}
