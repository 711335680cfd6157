import { createContext, type ReactNode, useMemo, useState } from 'react';
import type { Branding } from '../../shared/api/schema';
import { useNeeded } from './use-needed';

interface BrandingState {
  branding: Branding;
  adopt: (branding: Branding) => void;
}

const BrandingContext = createContext<BrandingState | null>(null);
export const useBrandingState = () => useNeeded(BrandingContext, 'branding');

/** Starts with what came with the page; `BrandingKeeper` keeps it in step. */
export function BrandingProvider({ branding: first, children }: { branding: Branding; children: ReactNode }) {
  const [branding, adopt] = useState(first);
  const state = useMemo(() => ({ branding, adopt }), [branding]);
  return <BrandingContext value={state}>{children}</BrandingContext>;
}

export function useBranding(): Branding {
  return useBrandingState().branding;
}
