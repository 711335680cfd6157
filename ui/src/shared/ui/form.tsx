import type { FormEvent, ReactNode, Ref } from 'react';
import { Stack } from './layout';

interface FormProps {
  id?: string;
  label?: string | undefined;
  gap?: 2 | 4;
  className?: string | undefined;
  ref?: Ref<HTMLFormElement>;
  onSubmit: () => unknown;
  children: ReactNode;
}

/** Fields one below the other, sent by a button or Enter. What is wrong with them, the server says. */
export function Form({ label, gap = 4, onSubmit, ...rest }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return <Stack as="form" noValidate {...rest} gap={gap} aria-label={label} onSubmit={submit} />;
}
