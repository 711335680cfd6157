import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { Receipt } from '../../shared/api/schema';
import type { Boot } from '../../shared/lib/boot';
import { Announcer, announce } from '../../shared/ui/announcer';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { leaveFiles } from '../attach/files';
import { CodeForm } from './code-form';
import styles from './follow.module.css';
import { Thread } from './thread';
import { isOpen, isOver, leave, look, reasonOf } from './visit';

/** Milliseconds between two looks at what the newsroom may have written. */
const PERIOD = 15_000;

const LOST = ' I file che non avevi ancora inviato sono stati cancellati: allegali di nuovo.';

/** A page that the browser kept, and shows again on going back, asks first whether the visit still lasts. */
const reloadIfKept = (event: PageTransitionEvent) => event.persisted && window.location.reload();

function useVisit() {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [reason, setReason] = useState('');
  const [resuming, setResuming] = useState(isOpen);
  const visiting = receipt !== null || resuming;
  // While a file is on its way the visit goes on, also out of sight.
  const sending = useRef(false);
  const count = receipt?.messages.length;
  const known = useRef(count);
  useEffect(() => {
    if (
      known.current !== undefined &&
      count !== undefined &&
      count > known.current &&
      receipt?.messages.at(-1)?.from === 'redazione'
    ) {
      announce('C’è un nuovo messaggio.');
    }
    known.current = count;
  }, [count, receipt]);

  /** The visit ended by itself: why, and what went with it. */
  const over = useCallback((error: unknown) => {
    const lost = leaveFiles(true, true) || sending.current;
    setReceipt(null);
    setReason(`${reasonOf(error)}${lost ? LOST : ''}`);
  }, []);

  useEffect(() => {
    window.addEventListener('pageshow', reloadIfKept);
    return () => window.removeEventListener('pageshow', reloadIfKept);
  }, []);

  useEffect(() => {
    if (!visiting) {
      return;
    }
    const gone = new AbortController();
    const ask = async () => {
      if (document.hidden && !sending.current) {
        return;
      }
      try {
        setReceipt(await look(gone.signal));
      } catch (error) {
        if (!gone.signal.aborted && isOver(error)) {
          over(error);
        }
      }
      setResuming(false);
    };
    void ask();
    const timer = setInterval(ask, PERIOD);
    document.addEventListener('visibilitychange', ask, gone);
    return () => {
      clearInterval(timer);
      gone.abort();
    };
  }, [visiting, over]);

  const close = () => {
    setReceipt(null);
    setResuming(false);
    setReason('');
    leave().catch(() => setReason('Non siamo riusciti a chiudere la visita: riprova, o chiudi il browser.'));
  };
  return { receipt, setReceipt, resuming, reason, close, over, sending };
}

export function Follow({ boot }: { boot: Boot }) {
  const { receipt, setReceipt, resuming, reason, close, over, sending } = useVisit();
  // Outlives a visit that ends by itself, for the next one to the same report.
  const [draft, setDraft] = useState({ text: '', report: '' });
  return (
    <div className={styles.page}>
      <Head boot={boot} onQuick={() => void leave().catch(() => undefined)} />
      <main>
        <Stack gap={4}>
          {boot.receipts === false ? (
            <Off />
          ) : receipt !== null ? (
            <>
              <Thread
                receipt={receipt}
                limits={boot.attachments ?? null}
                sending={sending}
                draft={draft.report === receipt.data_creazione ? draft.text : ''}
                onDraft={(text) => setDraft({ text, report: receipt.data_creazione })}
                onReceipt={setReceipt}
                onOver={over}
              />
              <Row justify="end">
                <Button
                  onClick={() => {
                    setDraft({ text: '', report: '' });
                    close();
                  }}
                >
                  Esci
                </Button>
              </Row>
            </>
          ) : (
            resuming || <CodeForm reason={reason} onReceipt={setReceipt} />
          )}
          <Announcer label="Novità" />
        </Stack>
      </main>
    </div>
  );
}

function Head({ boot, onQuick }: { boot: Boot; onQuick: () => void }) {
  const { branding, quickExitUrl } = boot;
  return (
    <Row as="header" justify="between" className={styles.head}>
      <div>
        <h1 className={styles.title}>Segui la segnalazione</h1>
        <Text tone="muted" small>
          {branding.productName} · {branding.organizationName}
        </Text>
      </div>
      <Row gap={2}>
        <a href={import.meta.env.BASE_URL}>Nuova segnalazione</a>
        {quickExitUrl ? (
          <a
            className={buttonClass}
            data-variant="secondary"
            href={quickExitUrl}
            rel="noreferrer"
            onClick={(event) => {
              event.preventDefault();
              onQuick();
              window.location.replace(quickExitUrl);
            }}
          >
            Esci in fretta
          </a>
        ) : null}
      </Row>
    </Row>
  );
}

function Off(): ReactNode {
  return (
    <Card>
      <p>Qui in questo momento non si può seguire una segnalazione.</p>
    </Card>
  );
}
