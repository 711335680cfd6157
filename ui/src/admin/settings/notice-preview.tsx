import { Shield } from 'lucide-react';
import { Row, Stack, Text } from '../../shared/ui/layout';
import styles from './notice-preview.module.css';

/** The privacy notice as it stands above the first question. The link is only shown: it may not be an address yet. */
export function NoticePreview({ text, url }: { text: string; url: string }) {
  return (
    <Stack as="section" gap={2} aria-label="Anteprima dell’informativa">
      <Text strong>Anteprima</Text>
      <Row nowrap align="start" className={styles.notice}>
        <Shield aria-hidden="true" />
        <div>
          {text.trim() === '' ? <em>Il testo è vuoto.</em> : <Text kept>{text}</Text>}
          {url === '' ? null : <span className={styles.link}>Leggi l’informativa completa</span>}
        </div>
      </Row>
    </Stack>
  );
}
