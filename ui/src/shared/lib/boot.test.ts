import { afterEach, expect, it } from 'vitest';
import { ownKey } from './boot';

afterEach(() => document.getElementById('boot')?.remove());

it.each([
  ['PelazzAI', 'pelazzai_files'],
  ['La Voce è Libera!', 'la-voce-e-libera_files'],
  ['日本', 'segnalazioni_files'],
])('what a page of %s keeps has its name before it', (productName, key) => {
  const block = document.createElement('script');
  block.id = 'boot';
  block.type = 'application/json';
  block.textContent = JSON.stringify({ branding: { productName } });
  document.head.append(block);
  expect(ownKey('files')).toBe(key);
});
