/** Run before each unit test file: matchers for the page, and a clean page and storage for each test. */
import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { server } from './server';

// Without this React cannot tell a test that waits for it from one that does not.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

// As generous as the browser tests are: how fast the machine is must not decide a test.
configure({ asyncUtilTimeout: 20_000 });

// All test files of a worker share the page: leftovers of the file before are removed.
document.head.replaceChildren();
document.body.replaceChildren();
window.history.replaceState(null, '', '/paibeta/');

beforeEach(() => {
  window.sessionStorage.clear();
  window.localStorage.clear();
});

afterEach(cleanup);
afterEach(() => void vi.useRealTimers());

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterAll(() => server.close());
afterEach(() => server.resetHandlers());
