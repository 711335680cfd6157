/** Pages that load when they are asked for, each from a chunk of its own. Must not need default exports. */
import { type ComponentType, lazy } from 'react';

export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }));
}
