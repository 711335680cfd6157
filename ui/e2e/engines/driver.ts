/** A browser that is driven by WebDriver (W3C), as much of it as one story needs. Must find things by what they are called. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Longest the browser looks for something that is not there yet, in milliseconds. */
const PATIENCE_MS = 30_000;
/** What WebDriver calls a reference to an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

type Element = { [ELEMENT]: string };

export interface Engine {
  name: string;
  /** The program that speaks WebDriver, given a port. */
  driver: (port: number) => readonly [string, readonly string[]];
  capabilities: object;
}

const quoted = (text: string) => `concat('${text.replaceAll("'", `',"'",'`)}', '')`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export class Browser {
  readonly #process: ChildProcess;
  readonly #base: string;
  #session = '';

  private constructor(process: ChildProcess, base: string) {
    this.#process = process;
    this.#base = base;
  }

  static async open({ driver, capabilities }: Engine): Promise<Browser> {
    const port = await freePort();
    const [program, args] = driver(port);
    const process = spawn(program, args, { stdio: 'ignore' });
    const failed = once(process, 'error').then(([error]) => Promise.reject(error));
    failed.catch(() => undefined);
    const browser = new Browser(process, `http://127.0.0.1:${port}`);
    try {
      await Promise.race([failed, browser.#answers()]);
      const wanted = { alwaysMatch: { timeouts: { implicit: PATIENCE_MS }, ...capabilities } };
      const begun = await browser.#call<{ sessionId: string }>('POST', '/session', { capabilities: wanted });
      browser.#session = `/session/${begun.sessionId}`;
      return browser;
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#session !== '') {
      await this.#call('DELETE', '');
    }
    if (this.#process.exitCode === null && this.#process.kill()) {
      await once(this.#process, 'exit');
    }
  }

  go(address: string): Promise<void> {
    return this.#call('POST', '/url', { url: address });
  }

  async click(role: 'button' | 'a', name: string): Promise<void> {
    // A link that spans its row says more than its name.
    const called = `[normalize-space()=${quoted(name)} or @aria-label=${quoted(name)} or .//*[normalize-space()=${quoted(name)}]]`;
    await this.#do(await this.#find(`//${role}${called}`), '/click');
  }

  /** Types into the box of that label, in place of what is in it. */
  async type(label: string, text: string): Promise<void> {
    const box = await this.#find(
      `//*[self::input or self::textarea][@aria-label=${quoted(label)} or @id=//label[normalize-space()=${quoted(label)}]/@for]`,
    );
    await this.#do(box, '/clear');
    await this.#do(box, '/value', { text });
  }

  /** Chooses from the list of that label in that part of the page. */
  async choose(part: string, label: string, option: string): Promise<void> {
    const list = `//section[@aria-label=${quoted(part)}]//select[@aria-label=${quoted(label)}]`;
    await this.#do(await this.#find(`${list}/option[normalize-space()=${quoted(option)}]`), '/click');
  }

  /** All that can be read on the page: WebKit's own driver leaves out lines that are cut with dots. */
  page(): Promise<string> {
    return this.run<string>('return document.body.innerText');
  }

  /** What a script gives back. */
  run<T>(script: string): Promise<T> {
    return this.#call('POST', '/execute/sync', { script, args: [] });
  }

  /** Plugs in a device that makes and keeps passkeys, and knows its owner. */
  plugIn(): Promise<unknown> {
    return this.#call('POST', '/webauthn/authenticator', {
      protocol: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserConsenting: true,
      isUserVerified: true,
    });
  }

  /** How light a box that can be ticked is drawn, from 0 to 255. */
  async lightness(label: string): Promise<number> {
    const box = await this.#find(`//label[contains(., ${quoted(label)})]//input[@type='checkbox']`);
    const picture = await this.#call<string>('GET', `/element/${box[ELEMENT]}/screenshot`);
    const script = `const [picture, done] = arguments, image = new Image();
      image.onload = () => {
        const { width, height } = image, canvas = new OffscreenCanvas(width, height), of = canvas.getContext('2d');
        of.drawImage(image, 0, 0);
        const { data } = of.getImageData(0, 0, width, height);
        done(data.reduce((sum, one, at) => sum + (at % 4 < 3 ? one : 0), 0) / (width * height * 3));
      };
      image.src = 'data:image/png;base64,' + picture;`;
    return this.#call('POST', '/execute/async', { script, args: [picture] });
  }

  #find(xpath: string): Promise<Element> {
    return this.#call('POST', '/element', { using: 'xpath', value: xpath });
  }

  #do(element: Element, what: string, body: object = {}): Promise<void> {
    return this.#call('POST', `/element/${element[ELEMENT]}${what}`, body);
  }

  async #answers(): Promise<void> {
    for (let ready = false; !ready; ) {
      ready = await fetch(`${this.#base}/status`).then(
        () => true,
        () => new Promise((resolve) => setTimeout(() => resolve(false), 100)),
      );
    }
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${this.#base}${this.#session}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
    if (!answer.ok) {
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${value.error}: ${value.message}`);
    }
    return value;
  }
}
