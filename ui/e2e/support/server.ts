/** The executable as an operator runs it: started, killed and started again. Must never leave a process behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const BINARY = resolve(
  process.env.PROGRAM ?? resolve(import.meta.dirname, '../../../target/release/segnalazioni'),
);

/** Longest a start and a stop may take, in milliseconds. */
const START_MS = 60_000;
const STOP_MS = 30_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) {
    child.kill('SIGKILL');
  }
});

/** Runs the executable in a folder, so that no configuration of the person who tests gets in. */
function run(args: readonly string[], folder: string): ChildProcess {
  if (!existsSync(BINARY)) {
    throw new Error(`${BINARY} is missing: build the executable, or name another one in PROGRAM`);
  }
  const child = spawn(BINARY, args, { cwd: folder, env: { PATH: process.env.PATH }, stdio: 'pipe' });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  return () => text;
}

/** Runs a command to its end, with this on standard input. */
async function command(args: readonly string[], folder: string, input = ''): Promise<void> {
  const child = run([...args, '--data-dir', 'data'], folder);
  const complaint = collect(child);
  // What it prints may hold a secret: read, so that it does not block, and forgotten.
  child.stdout?.resume();
  child.stdin?.end(input);
  const [code] = await once(child, 'exit');
  if (code !== 0) {
    throw new Error(`${args[0]} ended with ${code}: ${complaint()}`);
  }
}

/** Sets the password from the command line, as on a server without a screen. */
export const resetPassword = (folder: string, password: string): Promise<void> =>
  command(['reset-password', '--stdin'], folder, `${password}\n`);

/** Puts a backup in the place of the archive, while no server runs. */
export const restore = (folder: string, file: string): Promise<void> => command(['restore', file], folder);

/** `configured`: a password is set; `empty`: nobody was here yet; `demo`: the demonstration. */
export type Kind = 'configured' | 'empty' | 'demo';

export class Server {
  readonly folder: string;
  #child: ChildProcess | undefined;
  #logs: (() => string)[] = [];
  readonly #name: string;
  #address = '';
  #origin = '';
  #setupLink = '';

  private constructor(folder: string, name: string) {
    this.folder = folder;
    this.#name = name;
  }

  /** Starts a server, on a free port unless told otherwise; its data are in `data` below the folder. `name`: how pages call it. */
  static async start(folder: string, kind: Kind, address = '127.0.0.1:0', name = ''): Promise<Server> {
    const server = new Server(folder, name);
    await server.#launch(address, kind);
    return server;
  }

  /** Such as `http://127.0.0.1:40123`. */
  get origin(): string {
    return this.#origin;
  }

  /** One-time link to the set-up page; empty when there is nothing to set up. */
  get setupLink(): string {
    return this.#setupLink;
  }

  /** Everything written to standard error since the first start. */
  get log(): string {
    return this.#logs.map((log) => log()).join('');
  }

  /** Power cut: nothing is finished, nothing is said. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops as a service manager would, and insists on a clean end. */
  async stop(): Promise<void> {
    const code = await this.#end('SIGTERM');
    if (code !== 0) {
      throw new Error(`the server ended with ${code}: ${this.log}`);
    }
  }

  /** Starts again on the same port and data. */
  async restart(): Promise<void> {
    await this.#launch(this.#address, 'configured');
  }

  async #launch(address: string, kind: Kind): Promise<void> {
    const flags = kind === 'demo' ? ['--demo'] : [];
    const child = run(['serve', '--listen', address, '--data-dir', 'data', ...flags], this.folder);
    this.#child = child;
    this.#logs.push(collect(child));
    const deadline = setTimeout(() => child.kill('SIGKILL'), START_MS);
    const greeting = { origin: '', link: '' };
    for await (const line of createInterface({ input: child.stdout as Readable })) {
      greeting.origin ||= /in ascolto: (\S+)\/paibeta$/.exec(line)?.[1] ?? '';
      greeting.link ||= /(\S+\/setup#\S+)$/.exec(line)?.[1] ?? '';
      if (greeting.origin !== '' && (kind !== 'empty' || greeting.link !== '')) {
        break;
      }
    }
    clearTimeout(deadline);
    child.stdout?.resume();
    if (greeting.origin === '') {
      throw new Error(`the server did not start: ${this.log}`);
    }
    const url = new URL(greeting.origin);
    this.#address = url.host;
    url.hostname = this.#name || url.hostname;
    this.#origin = url.origin;
    this.#setupLink = greeting.link;
  }

  /** Ends the process, if there is one; gives its exit code, 0 when it was gone already. */
  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) {
      return 0;
    }
    if (child.exitCode !== null || child.signalCode !== null) {
      return child.exitCode;
    }
    const ended = once(child, 'exit');
    child.kill(signal);
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const [code] = (await ended) as [number | null];
    clearTimeout(deadline);
    return code;
  }
}
