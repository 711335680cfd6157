/**
 * What a page must never do: complain in the console, break, run into the content policy, call somebody else.
 * Must see every page of a test; a fault that a test provokes has to be announced, and has to happen.
 */
import type { BrowserContext } from '@playwright/test';

export class Watch {
  readonly #origin: string;
  #faults: string[] = [];
  #announced: RegExp[] = [];
  #allowed: RegExp[] = [];
  /** What the browser advises; said of headers and links rather than of what a page does. */
  readonly warnings: string[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  async over(context: BrowserContext): Promise<void> {
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy ${event.effectiveDirective} ${event.blockedURI}`);
      });
    });
    context.on('console', (message) => {
      const line = `console: ${message.text()} ${message.location().url.replace(this.#origin, '')}`;
      if (message.type() === 'error' || message.type() === 'assert') {
        this.#faults.push(line);
      } else if (message.type() === 'warning') {
        this.warnings.push(line);
      }
    });
    context.on('weberror', (event) => {
      this.#faults.push(`page: ${event.error().message}`);
    });
    context.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== this.#origin && protocol !== 'data:' && protocol !== 'blob:') {
        this.#faults.push(`elsewhere: ${request.url()}`);
      }
    });
  }

  /** Announces faults that the test provokes: each pattern has to match at least one. */
  expect(...patterns: RegExp[]): void {
    this.#announced.push(...patterns);
  }

  /** Allows faults of which the browser mends some by itself, so that the page need not hear of them. */
  allow(...patterns: RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  /** Fails on anything that was neither announced nor allowed, and on what was announced but did not happen. */
  verify(): void {
    const known = [...this.#announced, ...this.#allowed];
    const unexpected = this.#faults.filter((fault) => !known.some((one) => one.test(fault)));
    const missing = this.#announced.filter((known) => !this.#faults.some((fault) => known.test(fault)));
    const lines = [
      ...unexpected.map((fault) => `unexpected fault: ${fault}`),
      ...missing.map((known) => `announced fault that did not happen: ${known}`),
    ];
    if (lines.length > 0) {
      throw new Error([...new Set(lines)].join('\n'));
    }
  }
}
