/** A visit to the public page: opened, begun and answered, by a clock that is moved by hand. */
import { act, fireEvent, render, screen } from '@testing-library/react';
import { vi } from 'vitest';
import type { Boot } from '../../shared/lib/boot';
import { Page } from '../page';

export const boot: Boot = {
  branding: {
    productName: 'PelazzAI',
    assistantName: 'Pelazz & "AI"',
    organizationName: 'Le Iene',
    logoUrl: null,
    primaryColor: '#2563eb',
    darkMode: false,
    deviceTheme: false,
  },
  privacy: { text: 'I tuoi dati <restano> qui.', url: 'https://example.org/a?b=1&c=2', version: 'v1' },
  demoNotice: 'Modalità demo: prova.',
  welcome: 'Ciao & benvenuto!\n\nPer cominciare:\nquanti anni hai?',
  quickExitUrl: 'https://meteo.example/',
  minimum: { chars: 70, words: 10 },
  attachments: { maxMb: 200, perReport: 10 },
  receipts: true,
  status: { database: 'online', version: '1', siege: false, appearance: 1 },
};
/** Lets time go by in slices: React takes notice of what happened only at the end of each. */
export async function pass(milliseconds: number): Promise<void> {
  const slice = Math.min(milliseconds, 100);
  await act(() => vi.advanceTimersByTimeAsync(slice));
  if (milliseconds > slice) {
    await pass(milliseconds - slice);
  }
}
export const box = () => screen.getByRole<HTMLTextAreaElement>('textbox');

/** Opens the page, and begins where a conversation is not under way. */
export async function open(given = boot) {
  const view = render(<Page boot={given} />);
  await pass(0);
  await vi.dynamicImportSettled();
  await pass(0);
  const begin = screen.queryByRole('button', { name: /^Inizia/ });
  if (begin !== null) {
    fireEvent.click(begin);
  }
  return view;
}

export async function answer(text: string, wait = 1000) {
  fireEvent.change(box(), { target: { value: text } });
  fireEvent.keyDown(box(), { key: 'Enter' });
  await pass(wait);
}
