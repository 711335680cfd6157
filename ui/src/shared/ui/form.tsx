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

export function Form({ label, gap = 4, onSubmit, ...rest }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return <Stack as="form" noValidate {...rest} gap={gap} aria-label={label} onSubmit={submit} />;
}
