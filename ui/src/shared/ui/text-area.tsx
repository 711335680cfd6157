import type { Ref, TextareaHTMLAttributes } from 'react';
import styles from './control.module.css';

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  ref?: Ref<HTMLTextAreaElement>;
}

export function TextArea(props: TextAreaProps) {
  return <textarea {...props} className={styles.control} />;
}
