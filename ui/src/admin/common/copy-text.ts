/** Puts text on the clipboard. Must also work on a plain-http address of the local network. */

/** True when the text is on the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  // The clipboard interface exists only in secure contexts (https or this very machine).
  if (window.isSecureContext && navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyBySelection(text);
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const box = document.createElement('textarea');
  box.value = text;
  box.readOnly = true;
  box.className = 'visually-hidden';
  document.body.append(box);
  box.select();
  // Deprecated, and the only way there is without a secure context.
  const done = document.execCommand('copy');
  box.remove();
  if (focused instanceof HTMLElement) {
    focused.focus();
  }
  return done;
}
