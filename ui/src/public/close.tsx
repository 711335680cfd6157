/** Ends a sheet. First in it: the focus goes there, and must not scroll the beginning away. */
export function Close({ sheet }: { sheet: string }) {
  return (
    <button
      type="button"
      className="button close"
      data-quiet=""
      popoverTarget={sheet}
      popoverTargetAction="hide"
    >
      Chiudi
    </button>
  );
}
