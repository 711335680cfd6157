import { useEffect } from 'react';
import { announce } from '../../shared/ui/announcer';
import styles from './chat.module.css';

/** Milliseconds after which an answer that is on its way is told of. */
const SLOW = 4000;
const CHECKING =
  'Un momento: stiamo verificando che l’invio non sia automatico. Può volerci qualche secondo, non chiudere la pagina.';

export function Waiting({ checking }: { checking: boolean }) {
  useEffect(() => {
    if (!checking) {
      const timer = setTimeout(() => announce('Invio in corso, attendi.'), SLOW);
      return () => clearTimeout(timer);
    }
    announce(CHECKING);
    const timer = setInterval(() => announce('Verifica in corso, attendi.'), 2 * SLOW);
    return () => clearInterval(timer);
  }, [checking]);
  return checking ? <p className={styles.checking}>{CHECKING}</p> : null;
}
