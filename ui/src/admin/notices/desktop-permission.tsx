import { useState } from 'react';
import { Button } from '../../shared/ui/button';
import { Text } from '../../shared/ui/layout';
import { askPermission, permission } from './desktop';

const SAYS = {
  granted: 'Questo browser mostra anche una notifica sul desktop.',
  denied: 'Questo browser blocca le notifiche: si sbloccano nelle sue impostazioni, alla voce del sito.',
  missing: 'Questo browser non conosce le notifiche: resta il numero nel titolo della finestra.',
} as const;

export function DesktopPermission() {
  const [state, setState] = useState(permission);
  if (state !== 'default') {
    return (
      <Text tone="muted" role="status">
        {SAYS[state]}
      </Text>
    );
  }
  return (
    <div>
      <Button onClick={() => void askPermission().then(setState)}>
        Consenti le notifiche in questo browser
      </Button>
    </div>
  );
}
