/** Arrangement and small print as elements. Must carry no meaning: what an element is, `as` says. */
import type { ComponentPropsWithRef, CSSProperties, ElementType } from 'react';
import styles from './layout.module.css';

/** Steps of the scale of distances, `--space-…`. */
type Gap = 1 | 2 | 3 | 4 | 6;

interface StyleProps {
  className?: string | undefined;
  style?: CSSProperties;
}

type Props<Tag extends ElementType, Own> = Own &
  StyleProps & { as?: Tag } & Omit<ComponentPropsWithRef<Tag>, keyof Own | keyof StyleProps | 'as'>;

const classOf = (look: string | undefined, own: string | undefined) => (own ? `${look} ${own}` : look);
const distance = (gap: Gap | undefined) => (gap ? `var(--space-${gap})` : undefined);

interface StackOwn {
  gap?: Gap;
  /** `start`: each as wide as what is in it. */
  align?: 'start';
  /** Parted by lines instead of distance. */
  lined?: boolean;
  dotted?: boolean;
  /** On a ground of its own, within a card. */
  boxed?: boolean;
}

export function Stack<Tag extends ElementType = 'div'>(props: Props<Tag, StackOwn>) {
  const { as, className, style, gap, align, lined, dotted, boxed, ...rest } = props;
  const Element: ElementType = as ?? 'div';
  return (
    <Element
      {...rest}
      className={classOf(styles.stack, className)}
      style={{ ...style, gap: distance(gap), justifyItems: align }}
      data-lined={lined || undefined}
      data-dotted={dotted || undefined}
      data-boxed={boxed || undefined}
    />
  );
}

interface RowOwn {
  gap?: Gap;
  align?: 'start' | 'end' | 'baseline';
  justify?: 'between' | 'center' | 'end';
  /** Never below each other; words take the room that is left. */
  nowrap?: boolean;
}

export function Row<Tag extends ElementType = 'div'>(props: Props<Tag, RowOwn>) {
  const { as, className, style, gap, align, justify, nowrap, ...rest } = props;
  const Element: ElementType = as ?? 'div';
  const justifyContent = justify === 'between' ? 'space-between' : justify;
  return (
    <Element
      {...rest}
      className={classOf(styles.row, className)}
      style={{ ...style, gap: distance(gap), alignItems: align, justifyContent }}
      data-nowrap={nowrap || undefined}
    />
  );
}

interface TextOwn {
  tone?: 'muted' | 'danger' | 'success' | 'warning' | undefined;
  small?: boolean;
  strong?: boolean;
  /** Digits of one width, for figures that change or stand below each other. */
  digits?: boolean;
  kept?: boolean;
  mono?: boolean;
  whole?: boolean;
}

export function Text<Tag extends ElementType = 'p'>(props: Props<Tag, TextOwn>) {
  const { as, className, tone, small, strong, digits, kept, mono, whole, ...rest } = props;
  const Element: ElementType = as ?? 'p';
  return (
    <Element
      {...rest}
      className={classOf(styles.text, className)}
      data-tone={tone}
      data-small={small || undefined}
      data-strong={strong || undefined}
      data-digits={digits || undefined}
      data-kept={kept || undefined}
      data-mono={mono || undefined}
      data-whole={whole || undefined}
    />
  );
}
