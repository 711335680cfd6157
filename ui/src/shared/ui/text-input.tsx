import type { InputHTMLAttributes, Ref } from 'react';
import styles from './control.module.css';

interface TextInputProps extends InputHTMLAttributes<HTMLInputElement> {
  ref?: Ref<HTMLInputElement>;
}

export function TextInput(props: TextInputProps) {
  return <input {...props} className={styles.control} />;
}
