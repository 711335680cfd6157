import type { Delivery } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { DeliveryEntry } from '../common/deliveries/delivery-entry';
import { DeliveryNews } from '../common/deliveries/delivery-news';
import { useDeliveryActions } from '../common/deliveries/queries';
import styles from './deliveries-card.module.css';

/** What was sent because of the report, and what became of it. */
export function DeliveriesCard({ deliveries }: { deliveries: readonly Delivery[] }) {
  const actions = useDeliveryActions();
  return (
    <Card title="Consegne">
      {deliveries.length > 0 ? (
        <ul className={styles.list}>
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryEntry delivery={delivery} actions={actions} />
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.none}>Nessuna email e nessun webhook per questa segnalazione.</p>
      )}
      <DeliveryNews actions={actions} />
    </Card>
  );
}
