/** The public page: who you talk to, whether the newsroom can be reached, and the conversation. */
import { useState } from 'react';
import type { Boot } from '../shared/lib/boot';
import { Chat } from './chat/chat';
import { Header } from './header';
import styles from './page.module.css';
import { useStatus } from './use-status';

export function Page({ boot }: { boot: Boot }) {
  const [branding, setBranding] = useState(boot.branding);
  const reach = useStatus(boot.status, setBranding);
  return (
    <div className={styles.page}>
      <Header branding={branding} reach={reach} />
      <main className={styles.main}>
        {reach === 'demo' && (
          <p className={styles.banner}>
            Modalità demo: collega il database per attivare la chat. Le segnalazioni inviate adesso non
            vengono conservate.
          </p>
        )}
        <Chat boot={boot} reach={reach} />
      </main>
      <noscript>
        <p className={styles.noscript}>
          Per parlare con l’assistente serve JavaScript: attivalo nel browser e ricarica la pagina.
        </p>
      </noscript>
    </div>
  );
}
