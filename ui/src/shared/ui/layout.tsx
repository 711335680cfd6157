/** Arrangement and small print as elements. Must carry no meaning: what an element is, `as` says. */
import type { ComponentPropsWithRef, ElementType } from 'react';
import styles from './layout.module.css';

/** Steps of the scale of distances, `--space-…`. */
type Gap = 1 | 2 | 3 | 4 | 6;

type Props<Tag extends ElementType, Own> = Own & { as?: Tag } & Omit<
    ComponentPropsWithRef<Tag>,
    keyof Own | 'as'
  >;

interface StackOwn {
  gap?: Gap;
  /** `start`: each as wide as what is in it. */
  align?: 'start';
  /** Parted by lines instead of distance. */
  lined?: boolean;
  /** A list with dots. */
  dotted?: boolean;
  /** On a ground of its own, within a card. */
  boxed?: boolean;
  className?: string | undefined;
}

const join = (own: string | undefined, more: string | undefined) => (more ? `${own} ${more}` : own);

/** One below the other. */
export function Stack<Tag extends ElementType = 'div'>(props: Props<Tag, StackOwn>) {
  const {
    as: Element = 'div',
    gap,
    align,
    lined,
    dotted,
    boxed,
    className,
    ...rest
  }: Props<ElementType, StackOwn> = props;
  return (
    <Element
      {...rest}
      className={join(styles.stack, className)}
      data-gap={gap}
      data-align={align}
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
  className?: string | undefined;
}

/** Side by side, and below each other where there is no room. */
export function Row<Tag extends ElementType = 'div'>(props: Props<Tag, RowOwn>) {
  const {
    as: Element = 'div',
    gap,
    align,
    justify,
    nowrap,
    className,
    ...rest
  }: Props<ElementType, RowOwn> = props;
  return (
    <Element
      {...rest}
      className={join(styles.row, className)}
      data-gap={gap}
      data-align={align}
      data-justify={justify}
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
  /** Keeps the line breaks of whoever wrote it. */
  kept?: boolean;
  mono?: boolean;
  /** Selected as a whole, to be copied. */
  whole?: boolean;
  className?: string | undefined;
}

/** A paragraph, unless `as` says otherwise. */
export function Text<Tag extends ElementType = 'p'>(props: Props<Tag, TextOwn>) {
  const {
    as: Element = 'p',
    tone,
    small,
    strong,
    digits,
    kept,
    mono,
    whole,
    className,
    ...rest
  }: Props<ElementType, TextOwn> = props;
  return (
    <Element
      {...rest}
      className={join(styles.text, className)}
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
