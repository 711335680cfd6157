import { useState } from 'react';
import { useBranding } from '../common/branding';
import styles from './brand.module.css';

export function Brand() {
  const { organizationName, logoUrl } = useBranding();
  const [broken, setBroken] = useState<string | null>(null);
  return (
    <div className={styles.brand}>
      {logoUrl && logoUrl !== broken ? (
        <img className={styles.logo} src={logoUrl} alt="" onError={() => setBroken(logoUrl)} />
      ) : (
        <span className={styles.icon}>
          {/* Drawn here: the icon library would be the login page's only use of it. */}
          <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
            <path d="M4 5h13v12a2 2 0 0 0 2 2H6a2 2 0 0 1-2-2zm13 4h3v8a2 2 0 0 1-4 0M7.5 9h6m-6 4h6" />
          </svg>
        </span>
      )}
      <span className={styles.name} title={organizationName}>
        {organizationName}
      </span>
    </div>
  );
}
