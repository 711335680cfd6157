/** How a page tells what was just done. Must stay small: the login page pays for it. */
import { createContext, useContext } from 'react';

export interface Told {
  /** What was done, to whom or to how many. */
  text: string;
  /** Takes it back; a text that it gives is told in turn, null says that what came of it stands elsewhere. */
  undo?: (() => Promise<unknown>) | undefined;
}

export interface Teller {
  /** Tells it in place of what was told before; null: that is past, unless something can still be done about it. */
  show: (told: Told | null) => void;
}

/** Before the login there is nothing to tell. */
const ToastContext = createContext<Teller>({ show: () => undefined });

export const TellerProvider = ToastContext.Provider;
export const useToast = () => useContext(ToastContext);
