import { TriangleAlert } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useDeliverySummary } from '../common/deliveries/queries';
import { paths } from '../common/paths';
import styles from './delivery-banner.module.css';

/**
 * Stands on every page as long as mail or webhook do not get through: a notification that silently never came is the
 * worst kind (PRODUCT.md §5). The region is there before there is anything to say.
 */
export function DeliveryBanner() {
  const summary = useDeliverySummary();
  const failing = summary.data?.failing === true;
  const failed = summary.data?.undelivered ?? 0;
  return (
    <div role="status">
      {failing ? (
        <div className={styles.banner}>
          <TriangleAlert aria-hidden="true" />
          <p>
            {failed === 0
              ? 'Email o webhook non arrivano a destinazione: vengono ritentati.'
              : failed === 1
                ? 'Una email o un webhook non è arrivato a destinazione.'
                : `${failed} email o webhook non sono arrivati a destinazione.`}{' '}
            <Link to={paths.deliveries}>Vai alle consegne</Link>
          </p>
        </div>
      ) : null}
    </div>
  );
}
