import { Act } from './act';

/** Ends a sheet. First in it: the focus goes there, and must not scroll the beginning away. */
export function Close({ sheet }: { sheet: string }) {
  return (
    <Act className="close" quiet popoverTarget={sheet} popoverTargetAction="hide">
      Chiudi
    </Act>
  );
}
