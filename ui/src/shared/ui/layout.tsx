/** Arrangement and small print as elements. Must carry no meaning: what an element is, `as` says. */
import type { ComponentPropsWithRef, CSSProperties, ElementType } from 'react';
import styles from './layout.module.css';

/** Steps of the scale of distances, `--space-…`. */
type Gap = 1 | 2 | 3 | 4 | 6;

interface Common {
  className?: string | undefined;
}

type Props<Tag extends ElementType, Own> = Own &
  Common & { as?: Tag } & Omit<ComponentPropsWithRef<Tag>, keyof Own | keyof Common | 'as'>;

interface Values extends Common {
  as?: ElementType;
  gap?: Gap;
  align?: string;
  justify?: string;
  style?: CSSProperties;
  [other: string]: unknown;
}

/** The element, with its arrangement, and its other own attributes as `data-…` for the style. */
function draw(fallback: ElementType, look: string | undefined, own: readonly string[], props: Values) {
  const { as: Element = fallback, className, gap, align, justify, style, ...rest } = props;
  const data = own.map((name) => [`data-${name}`, rest[name] || undefined]);
  const others = Object.entries(rest).filter(([name]) => !own.includes(name));
  const arranged = {
    ...style,
    ...(gap && { gap: `var(--space-${gap})` }),
    ...(align && { [look === styles.stack ? 'justifyItems' : 'alignItems']: align }),
    ...(justify && { justifyContent: justify === 'between' ? 'space-between' : justify }),
  };
  return (
    <Element
      {...Object.fromEntries([...others, ...data])}
      style={arranged}
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
  return draw('div', styles.stack, ['lined', 'dotted', 'boxed'], props);
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
  return draw('div', styles.row, ['nowrap'], props);
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
