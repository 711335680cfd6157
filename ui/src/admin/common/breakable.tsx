import type { ReactNode } from 'react';

/** A name may go on in another line after a slash: on a narrow screen `Sanità/Ospedali` is no single word. */
export const breakable = (name: string): ReactNode =>
  name.split('/').flatMap((part, index) => (index > 0 ? ['/', <wbr key={part} />, part] : part));
