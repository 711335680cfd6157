import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Announcer, announce } from './announcer';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('leaves a sentence where it is when an earlier one goes: one that moves is read again', () => {
  render(<Announcer />);
  act(() => announce('Uno'));
  act(() => void vi.advanceTimersByTime(500));
  act(() => announce('Due'));
  const second = screen.getByText('Due');
  act(() => void vi.advanceTimersByTime(500));
  expect(screen.queryByText('Uno')).toBeNull();
  expect(screen.getByText('Due')).toBe(second);
  act(() => void vi.advanceTimersByTime(500));
  expect(screen.getByRole('log')).toBeEmptyDOMElement();
});
