/** Arrangement and small print as elements. Must carry no meaning: what an element is, `as` says. */
import type { ComponentPropsWithRef, ElementType } from 'react';
import styles from './layout.module.css';

/** Steps of the scale of distances, `--space-…`. */
type Gap = 1 | 2 | 3 | 4 | 6;

interface Common {
  className?: string | undefined;
}

type Props<Tag extends ElementType, Own> = Own &
  Common & { as?: Tag } & Omit<ComponentPropsWithRef<Tag>, keyof Own | keyof Common | 'as'>;

type Values = Common & { as?: ElementType } & Record<string, unknown>;

/** The element, with its own attributes as `data-…` for the style. */
function draw(fallback: ElementType, look: string | undefined, own: readonly string[], props: Values) {
  const { as: Element = fallback, className, ...rest } = props;
  const data = own.map((name) => [`data-${name}`, rest[name] || undefined]);
  const others = Object.entries(rest).filter(([name]) => !own.includes(name));
  return (
    <Element
      {...Object.fromEntries([...others, ...data])}
      className={className ? `${look} ${className}` : look}
    />
  );
}

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
}

/** One below the other. */
export function Stack<Tag extends ElementType = 'div'>(props: Props<Tag, StackOwn>) {
  return draw('div', styles.stack, ['gap', 'align', 'lined', 'dotted', 'boxed'], props);
}

interface RowOwn {
  gap?: Gap;
  align?: 'start' | 'end' | 'baseline';
  justify?: 'between' | 'center' | 'end';
  /** Never below each other; words take the room that is left. */
  nowrap?: boolean;
}

/** Side by side, and below each other where there is no room. */
export function Row<Tag extends ElementType = 'div'>(props: Props<Tag, RowOwn>) {
  return draw('div', styles.row, ['gap', 'align', 'justify', 'nowrap'], props);
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
}

/** A paragraph, unless `as` says otherwise. */
export function Text<Tag extends ElementType = 'p'>(props: Props<Tag, TextOwn>) {
  return draw('p', styles.text, ['tone', 'small', 'strong', 'digits', 'kept', 'mono', 'whole'], props);
}
