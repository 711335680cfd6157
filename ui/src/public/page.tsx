import { useCallback, useState } from 'react';
import type { Boot } from '../shared/lib/boot';
import { Chat } from './chat/chat';
import { isPristine } from './chat/conversation';
import { useChat } from './chat/use-chat';
import { Close } from './close';
import { ChatLine, Header } from './header';
import styles from './page.module.css';
import { Start } from './start';
import { useLater } from './use-later';
import { useStatus } from './use-status';

export function Page({ boot }: { boot: Boot }) {
  const [branding, setBranding] = useState(boot.branding);
  const later = useLater();
  const reach = useStatus(boot.status, later, setBranding);
  const [state, dispatch] = useChat(boot);
  const [begun, setBegun] = useState(false);
  const closed = state.shut || (boot.callout?.closedText ?? '');
  // A conversation that a reload brings back has begun already.
  const start = (!begun || closed !== '') && isPristine(state);
  const begin = useCallback(() => {
    setBegun(true);
    later?.leaveFiles(true);
    dispatch({ type: 'restarted', welcome: boot.welcome });
  }, [dispatch, boot.welcome, later]);
  return (
    <div className={styles.page}>
      <Header
        branding={branding}
        line={<ChatLine product={branding.productName} reach={reach} />}
        exit={boot.quickExitUrl ?? ''}
        start={start}
        onLeave={begin}
      />
      <main className={styles.main}>
        {/* It stands in the prerendered page already, so that nothing moves when it shows. */}
        <p className={styles.banner} data-reach={reach === 'checking' ? boot.status.database : reach}>
          {boot.demoNotice}
        </p>
        {later && (
          <later.KeptNotices
            reachable={reach === 'online' || reach === 'demo'}
            ownId={state.keptId}
            receipt={state.receipt}
            callout={boot.callout?.slug}
            canResume={isPristine(state) || (state.phase !== 'asking' && state.phase !== 'sending')}
            dispatch={dispatch}
          />
        )}
        {start ? (
          <Start boot={boot} organization={branding.organizationName} closed={closed} onStart={begin} />
        ) : (
          <Chat
            boot={boot}
            assistant={branding.assistantName}
            reach={reach}
            state={state}
            later={later}
            dispatch={dispatch}
            onRestart={begin}
          />
        )}
      </main>
      <div id="privacy" popover="auto" className="sheet">
        <Close sheet="privacy" />
        <h2>Informativa sulla privacy</h2>
        <p>{boot.privacy.text}</p>
        {/* There even without an address, hidden by style: the prerendered page cannot know whether there is one. */}
        <a
          className={`button ${styles.link}`}
          data-quiet=""
          href={boot.privacy.url ?? ''}
          target="_blank"
          rel="noopener noreferrer"
        >
          Leggi l’informativa completa
        </a>
      </div>
    </div>
  );
}
