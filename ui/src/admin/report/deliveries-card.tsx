import type { Delivery } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { DeliveryEntry } from '../common/deliveries/delivery-entry';
import { useRetry } from '../common/deliveries/queries';
import { RetryNews } from '../common/deliveries/retry-news';
import styles from './deliveries-card.module.css';

/** What was sent because of the report, and what became of it. */
export function DeliveriesCard({ deliveries }: { deliveries: readonly Delivery[] }) {
  const retry = useRetry();
  return (
    <Card title="Consegne">
      {deliveries.length > 0 ? (
        <ul className={styles.list}>
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryEntry delivery={delivery} retry={retry} />
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.none}>Nessuna email e nessun webhook per questa segnalazione.</p>
      )}
      <RetryNews retry={retry} />
    </Card>
  );
}
