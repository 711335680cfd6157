import { Newspaper } from 'lucide-react';
import { useState } from 'react';
import { useBranding } from '../common/branding';
import styles from './brand.module.css';

/** Logo and name of the newsroom; without a logo, or when it cannot be shown, an icon in the newsroom's colour. */
export function Brand() {
  const { organizationName, logoUrl } = useBranding();
  const [broken, setBroken] = useState<string | null>(null);
  return (
    <div className={styles.brand}>
      {logoUrl && logoUrl !== broken ? (
        <img className={styles.logo} src={logoUrl} alt="" onError={() => setBroken(logoUrl)} />
      ) : (
        <span className={styles.icon}>
          <Newspaper aria-hidden="true" />
        </span>
      )}
      <span className={styles.name}>{organizationName}</span>
    </div>
  );
}
