import styles from './face.module.css';
import { initialsOf } from './people';

export const Face = ({ name }: { name: string }) => (
  <span className={styles.face} aria-hidden="true">
    {initialsOf(name)}
  </span>
);
