/** Notices of the desktop. Must never say anything of a report: a desktop shows them to passers-by, and keeps them. */

import { arrivedText } from '../reports/use-arrivals';

/** The browser's permission for notifications; `missing` where it does not know them. */
type Permission = NotificationPermission | 'missing';

export function permission(): Permission {
  return 'Notification' in window ? Notification.permission : 'missing';
}

/** Asks the person; only in answer to a click. */
export async function askPermission(): Promise<Permission> {
  return 'Notification' in window ? Notification.requestPermission() : 'missing';
}

/** Shows that reports have arrived; one notice however many tabs are open. `open` runs when it is clicked. */
export function notify(count: number, open: () => void): void {
  if (permission() !== 'granted') {
    return;
  }
  try {
    const notice = new Notification(arrivedText(count), { tag: 'segnalazioni-arrivi', lang: 'it' });
    notice.addEventListener('click', () => {
      window.focus();
      notice.close();
      open();
    });
  } catch {
    // Phones give notices to installed pages only, and say so by throwing: the window's title counts all the same.
  }
}
