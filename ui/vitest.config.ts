/** Unit tests of the interface: a browser made of memory, no network. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: '/paibeta/',
  plugins: [react()],
  test: {
    environment: 'happy-dom',
    environmentOptions: { happyDOM: { url: 'http://127.0.0.1:8080/paibeta/' } },
    include: ['src/**/*.test.{ts,tsx}'],
    // A page and a copy of every module for each file would cost more than the tests.
    isolate: false,
    setupFiles: ['src/shared/testing/test-setup.ts'],
    // Generous: how fast the machine is must not decide a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    restoreMocks: true,
    unstubGlobals: true,
    css: { modules: { classNameStrategy: 'non-scoped' } },
  },
});
