/** A sheet over the page. It takes the focus, and gives it back when it closes. */
import { type ReactNode, type ToggleEvent, useRef } from 'react';

type Props = { id: string; label: string; children: ReactNode };

export function Sheet({ id, label, children }: Props) {
  const from = useRef<Element | null>(null);
  const toggled = ({ currentTarget, newState }: ToggleEvent<HTMLElement>) => {
    if (newState === 'open') {
      currentTarget.querySelector('button')?.focus();
    } else {
      (from.current as HTMLElement | null)?.focus();
    }
  };
  return (
    <div
      id={id}
      popover="auto"
      className="sheet"
      role="dialog"
      aria-label={label}
      onBeforeToggle={({ newState }) => {
        if (newState === 'open') {
          from.current = document.activeElement;
        }
      }}
      onToggle={toggled}
    >
      {children}
    </div>
  );
}
