import { useState } from 'react';
import type { Boot } from '../shared/lib/boot';
import { slugOf } from '../shared/lib/slug';
import { Chat } from './chat/chat';
import { useChat } from './chat/use-chat';
import { Header } from './header';
import styles from './page.module.css';
import { useLater } from './use-later';
import { useStatus } from './use-status';

export function Page({ boot }: { boot: Boot }) {
  const [branding, setBranding] = useState(boot.branding);
  const later = useLater();
  const reach = useStatus(boot.status, later, setBranding);
  const [state, dispatch] = useChat(boot.welcome, slugOf(boot.branding.productName));
  const restart = () => dispatch({ type: 'restarted', welcome: boot.welcome });
  return (
    <div className={styles.page}>
      <Header
        branding={branding}
        reach={reach}
        exit={boot.quickExitUrl ?? ''}
        state={state}
        later={later}
        onRestart={restart}
      />
      <main className={styles.main}>
        {/* It stands in the prerendered page already, so that nothing moves when it shows. */}
        <p className={styles.banner} data-reach={reach === 'checking' ? boot.status.database : reach}>
          Modalità demo: collega il database per attivare la chat. Le segnalazioni inviate adesso non vengono
          conservate.
        </p>
        <Chat
          boot={boot}
          assistant={branding.assistantName}
          reach={reach}
          state={state}
          later={later}
          dispatch={dispatch}
        />
      </main>
      <noscript>
        <p className={styles.noscript}>
          Per parlare con l’assistente serve JavaScript: attivalo nel browser e ricarica la pagina.
        </p>
      </noscript>
    </div>
  );
}
