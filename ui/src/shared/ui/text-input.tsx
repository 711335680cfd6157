import type { ComponentPropsWithRef } from 'react';
import styles from './control.module.css';

export function TextInput(props: ComponentPropsWithRef<'input'>) {
  return <input {...props} className={styles.control} />;
}

export function TextArea(props: ComponentPropsWithRef<'textarea'>) {
  return <textarea {...props} className={styles.control} />;
}
