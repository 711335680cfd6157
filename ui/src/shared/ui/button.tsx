import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import styles from './button.module.css';

/** `icon`: nothing but a picture, named by `aria-label`. */
export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger' | 'icon';

/** Class for a link that must look like a button; pair it with `data-variant`. */
export const buttonClass: string = styles.button ?? '';

export interface ButtonProps extends ComponentPropsWithRef<'button'> {
  variant?: ButtonVariant;
  icon?: ReactNode;
  /** The name of its subject, for screen readers, which do not see where the button stands. */
  about?: string | undefined;
  /** Cannot be pressed, yet keeps the focus: `disabled` would throw keyboard users back to the top of the page. */
  inactive?: boolean;
}

export function Button({
  variant = 'secondary',
  icon,
  about,
  inactive = false,
  type = 'button',
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (inactive) {
      event.preventDefault();
      return;
    }
    onClick?.(event);
  };
  return (
    <button
      {...rest}
      type={type}
      className={className ? `${buttonClass} ${className}` : buttonClass}
      data-variant={variant}
      aria-disabled={inactive || undefined}
      onClick={press}
    >
      {icon}
      {children}
      {about ? <span className="visually-hidden"> {about}</span> : null}
    </button>
  );
}
