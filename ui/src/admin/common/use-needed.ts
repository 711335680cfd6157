import { type Context, useContext } from 'react';

/** Reads a context that always has a provider: a page without one is a fault of the program. */
export function useNeeded<T>(context: Context<T | null>, name: string): T {
  const value = useContext(context);
  if (value === null) {
    throw new Error(`${name} needs its provider above it`);
  }
  return value;
}
