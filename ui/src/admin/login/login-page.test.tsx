import { fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiProblem } from '../../shared/api/errors';
import { BrandingProvider } from '../common/branding';
import { SessionProvider } from '../session/session-context';
import { SessionStore } from '../session/session-store';
import { sampleBranding } from '../testing/samples';
import { LoginPage } from './login-page';

function open(boot: object) {
  const block = document.createElement('script');
  block.id = 'boot';
  block.type = 'application/json';
  block.textContent = JSON.stringify(boot);
  document.head.append(block);
  const session = new SessionStore({
    read: () => Promise.reject(new ApiProblem({ status: 401 })),
    end: () => Promise.resolve(),
    tell: () => undefined,
    now: Date.now,
  });
  render(
    <BrandingProvider branding={sampleBranding}>
      <SessionProvider store={session}>
        <MemoryRouter>
          <LoginPage />
        </MemoryRouter>
      </SessionProvider>
    </BrandingProvider>,
  );
}

afterEach(() => document.getElementById('boot')?.remove());

describe('the hint of the demonstration', () => {
  it('shows the password and fills it in', async () => {
    open({ branding: sampleBranding, demoPassword: 'parola di prova' });
    expect(await screen.findByText('Modalità dimostrativa')).toBeInTheDocument();
    expect(screen.getByText('parola di prova')).toBeInTheDocument();
    const box = screen.getByLabelText('Password');
    expect(box).toHaveValue('');
    fireEvent.click(screen.getByRole('button', { name: 'Inserisci la password' }));
    expect(box).toHaveValue('parola di prova');
    expect(box).toHaveFocus();
    expect(screen.getByRole('button', { name: 'Accedi al Pannello' })).not.toHaveAttribute('aria-disabled');
  });

  it.each([{ demoPassword: null }, {}])('is absent from a real newsroom: %o', async (boot) => {
    open({ branding: sampleBranding, ...boot });
    expect(await screen.findByLabelText('Password')).toBeInTheDocument();
    expect(screen.queryByText('Modalità dimostrativa')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Inserisci la password' })).toBeNull();
  });
});
