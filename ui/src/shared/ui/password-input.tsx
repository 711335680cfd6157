import { type ComponentPropsWithRef, useState } from 'react';
import { Button } from './button';
import control from './control.module.css';
import styles from './password-input.module.css';

interface PasswordInputProps extends Omit<ComponentPropsWithRef<'input'>, 'type'> {
  /** Which of the two a password manager should offer: the stored one, beside passkeys or not, or a new one. */
  autoComplete: 'current-password' | 'current-password webauthn' | 'new-password';
  /** The name of the typed text, with its article, for the switch that shows it. */
  noun?: string;
}

/** A password box that can be read on request. The switch is text: what an eye means has to be guessed. */
export function PasswordInput({ id, noun = 'la password', ...rest }: PasswordInputProps) {
  const [shown, setShown] = useState(false);
  return (
    <div className={styles.box}>
      <input
        {...rest}
        id={id}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        className={control.control}
      />
      <Button
        variant="quiet"
        className={styles.toggle}
        aria-controls={id}
        aria-label={`${shown ? 'Nascondi' : 'Mostra'} ${noun}`}
        onClick={() => setShown(!shown)}
      >
        {shown ? 'Nascondi' : 'Mostra'}
      </Button>
    </div>
  );
}
