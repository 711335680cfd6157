/** The row that has the focus in a list, and the way from one to the next. */

/** The link of the row that something stands in. */
export const rowOf = (inside: Element | null) =>
  inside?.closest('tr')?.querySelector<HTMLElement>('a[data-row-link]') ?? null;

const give = (link: HTMLElement | null | undefined) => {
  link?.focus();
  link?.closest('tr')?.scrollIntoView({ block: 'nearest' });
};

/** Gives the focus to the row of a report. */
export const focusRow = (within: ParentNode, id = '') =>
  give(within.querySelector<HTMLElement>(`a[data-row-link="${CSS.escape(id)}"]`));

/** Moves the focus by a row, and gives the report's id. The row's link carries it, so that Invio needs no command of ours. */
export function stepRow(within: ParentNode | null, by: 1 | -1): string | undefined {
  const links = [...(within?.querySelectorAll<HTMLElement>('a[data-row-link]') ?? [])];
  const present = rowOf(document.activeElement);
  const at = present ? links.indexOf(present) : -1;
  const next = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)];
  give(next);
  return next?.dataset.rowLink;
}
