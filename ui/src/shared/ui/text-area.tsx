import type { ComponentPropsWithRef } from 'react';
import styles from './control.module.css';

export function TextArea(props: ComponentPropsWithRef<'textarea'>) {
  return <textarea {...props} className={styles.control} />;
}
