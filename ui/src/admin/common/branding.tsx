import { createContext, type ReactNode, useContext } from 'react';
import type { Branding } from '../../shared/api/schema';

const BrandingContext = createContext<Branding | null>(null);

export function BrandingProvider({ branding, children }: { branding: Branding; children: ReactNode }) {
  return <BrandingContext value={branding}>{children}</BrandingContext>;
}

/** Name, logo and colour of the newsroom. */
export function useBranding(): Branding {
  const branding = useContext(BrandingContext);
  if (!branding) {
    throw new Error('useBranding needs a BrandingProvider above it');
  }
  return branding;
}
