import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { SecretInput } from './controls';

let sent: string | null;

function Form({ stored }: { stored: boolean }) {
  const [value, setValue] = useState<string | null>(null);
  sent = value;
  return (
    <SecretInput
      label="Chiave"
      noun="la chiave"
      hint="Del fornitore."
      error={undefined}
      stored={stored}
      value={value}
      onChange={setValue}
    />
  );
}

const box = () => screen.getByLabelText<HTMLInputElement>('Chiave');
const type = (text: string) => fireEvent.change(box(), { target: { value: text } });

describe('a secret', () => {
  it('that is not set is typed, and hidden unless asked', () => {
    render(<Form stored={false} />);
    expect(sent).toBeNull();
    expect(box()).toHaveAccessibleDescription('Del fornitore.');
    expect(screen.queryByRole('button', { name: /rimuovi/ })).toBeNull();
    type('segreto');
    expect(sent).toBe('segreto');
    expect(box().type).toBe('password');
    fireEvent.click(screen.getByRole('button', { name: 'Mostra la chiave' }));
    expect(box().type).toBe('text');
    type('');
    expect(sent).toBeNull();
  });

  it('that is set shows nothing of itself, and stays unless another is typed', () => {
    render(<Form stored />);
    expect(box()).toHaveValue('');
    expect(box()).toHaveAccessibleDescription(/Impostata\. Non viene mai mostrata/);
    type('nuovo');
    expect(sent).toBe('nuovo');
    expect(box()).toHaveAccessibleDescription(/Sostituirà quella impostata/);
    type('');
    expect(sent).toBeNull();
    expect(box()).toHaveAccessibleDescription(/Impostata/);
  });

  it('that is set can be marked for removal, and back', () => {
    render(<Form stored />);
    fireEvent.click(screen.getByRole('button', { name: 'Chiave: rimuovi' }));
    expect(sent).toBe('');
    expect(box()).toHaveAccessibleDescription(/Verrà rimossa quando salvi/);
    fireEvent.click(screen.getByRole('button', { name: 'Chiave: non rimuovere' }));
    expect(sent).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Chiave: rimuovi' }));
    type('altro');
    expect(sent).toBe('altro');
  });
});
