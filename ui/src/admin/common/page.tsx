import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { messages } from '../../shared/messages';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { useUnseen } from '../notices/unseen';
import { useBranding } from './branding';
import styles from './page.module.css';

interface PageProps {
  /** Heading of the page and first part of the window's title. */
  title: string;
  heading?: ReactNode;
  subtitle?: string;
  /** Address of the list, which a link above the heading leads back to. */
  back?: string;
  actions?: ReactNode;
  children: ReactNode;
}

let firstPage = true;

/**
 * Frame of every page. On a change of page the focus goes to the heading, so that keyboard and screen reader start where
 * the news is; on the first page it stays where the browser puts it.
 */
export function Page({ title, heading, subtitle, back, actions, children }: PageProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  useTitle(title);

  useEffect(() => {
    if (firstPage) {
      firstPage = false;
      return;
    }
    ref.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);

  return (
    <>
      <header className={styles.header}>
        {back ? (
          <div className={styles.back}>
            <Row as={Link} gap={2} nowrap to={back}>
              <span aria-hidden="true">←</span>
              {messages.reports.backToList}
            </Row>
          </div>
        ) : null}
        <div>
          <h1 className={styles.title} tabIndex={-1} ref={ref}>
            {heading ?? title}
          </h1>
          {subtitle ? <Text tone="muted">{subtitle}</Text> : null}
        </div>
        {actions ? <Row>{actions}</Row> : null}
      </header>
      <Stack gap={4}>{children}</Stack>
    </>
  );
}

function useTitle(title: string): void {
  const { productName, organizationName } = useBranding();
  const unseen = useUnseen();
  useEffect(() => {
    const name = [title, productName, organizationName].filter(Boolean).join(' · ');
    document.title = unseen > 0 ? `(${unseen}) ${name}` : name;
  }, [title, productName, organizationName, unseen]);
}
