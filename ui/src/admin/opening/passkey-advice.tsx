/** Beside the points to settle: a recommendation for whoever has no passkey and could have one. It holds nothing up. */
import { Link } from 'react-router-dom';
import { Card } from '../../shared/ui/card';
import { Stack } from '../../shared/ui/layout';
import { knowsPasskeys } from '../common/passkeys/support';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';

export function PasskeyAdvice() {
  const { who } = useRights();
  const { data } = useRead('/account/passkeys', { background: true, enabled: who !== null });
  return data?.offered && data.data.length === 0 && knowsPasskeys() ? (
    <Card title="Consigliato: una passkey">
      <Stack gap={2}>
        <p>
          Chi attacca una redazione comincia dalle password di chi ci lavora. Una passkey non si può scrivere
          su una pagina falsa.
        </p>
        <Link to={paths.account}>Aggiungila in Il tuo accesso</Link>
      </Stack>
    </Card>
  ) : null;
}
