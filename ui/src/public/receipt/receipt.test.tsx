import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Receipt } from './receipt';

const link = () => screen.getByRole('link', { name: 'Segui la segnalazione' });

it('opens the page to come back beside the site that shows the chat in a frame', () => {
  const { unmount } = render(<Receipt code="ABCDE-12345-FGHJK-67890" />);
  expect(link()).not.toHaveAttribute('target');
  unmount();
  vi.spyOn(window, 'parent', 'get').mockReturnValue({} as Window);
  render(<Receipt code="ABCDE-12345-FGHJK-67890" />);
  expect(link()).toHaveAttribute('target', '_blank');
});
