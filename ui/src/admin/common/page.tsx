import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { messages } from '../../shared/messages';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { useBranding } from './branding';
import styles from './page.module.css';
import { useUnseen } from './unseen';

interface PageProps {
  title: string;
  subtitle?: string | undefined;
  /** Where a link above the heading leads back to: the list, unless said. */
  back?: string;
  backLabel?: string;
  actions?: ReactNode;
  children: ReactNode;
}

let firstPage = true;

/** The title of a page, and its heading: on a change of page that takes the focus, where keyboard and screen reader start.
 *  `beside`: it stands beside the page that has all these. */
export function useHeading(title: string, beside = false): RefObject<HTMLHeadingElement | null> {
  const ref = useRef<HTMLHeadingElement>(null);
  const { hash } = useLocation();
  const { productName, organizationName } = useBranding();
  const unseen = useUnseen();

  useEffect(() => {
    if (!beside) {
      const name = [title, productName, organizationName].filter(Boolean).join(' · ');
      document.title = unseen > 0 ? `(${unseen}) ${name}` : name;
    }
  }, [beside, title, productName, organizationName, unseen]);
  useEffect(() => {
    if (beside) {
      return;
    }
    if (firstPage) {
      firstPage = false;
      return;
    }
    // The address may name a part of the page, which takes the focus itself.
    if (hash === '') {
      ref.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
  }, [beside, hash]);
  return ref;
}

export function Page({
  title,
  subtitle,
  back,
  backLabel = messages.reports.backToList,
  actions,
  children,
}: PageProps) {
  const ref = useHeading(title);
  return (
    <>
      <header className={styles.header}>
        {back ? (
          <Row className={styles.back}>
            <Row as={Link} gap={2} nowrap to={back}>
              <span aria-hidden="true">←</span>
              {backLabel}
            </Row>
          </Row>
        ) : null}
        <div>
          <h1 className={styles.title} tabIndex={-1} ref={ref}>
            {title}
          </h1>
          {subtitle ? <Text tone="muted">{subtitle}</Text> : null}
        </div>
        {actions ? <Row>{actions}</Row> : null}
      </header>
      <Stack gap={4}>{children}</Stack>
    </>
  );
}
