import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Branding } from '../../shared/api/schema';

interface BrandingState {
  branding: Branding;
  adopt: (branding: Branding) => void;
}

const BrandingContext = createContext<BrandingState | null>(null);

/** Starts with what came with the page; `BrandingKeeper` keeps it in step. */
export function BrandingProvider({ branding: first, children }: { branding: Branding; children: ReactNode }) {
  const [branding, adopt] = useState(first);
  const state = useMemo(() => ({ branding, adopt }), [branding]);
  return <BrandingContext value={state}>{children}</BrandingContext>;
}

export function useBrandingState(): BrandingState {
  const state = useContext(BrandingContext);
  if (!state) {
    throw new Error('useBranding needs a BrandingProvider above it');
  }
  return state;
}

export function useBranding(): Branding {
  return useBrandingState().branding;
}
