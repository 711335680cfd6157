/**
 * A mail server made of memory, as much of SMTP as a well-behaved client needs (RFC 5321, RFC 4954). Must never pass
 * anything on.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from '@playwright/test';
import type { Api } from './api';

export const MAIL_USER = 'posta';
export const MAIL_PASSWORD = 'parola della posta';

/** A line that is said alone, for each first word that is understood and needs no thought. */
const ANSWERS: Readonly<Record<string, string>> = {
  MAIL: '250 mittente accolto',
  RCPT: '250 destinatario accolto',
  DATA: '354 avanti',
  RSET: '250 da capo',
  NOOP: '250 eccomi',
};

export class Mailbox {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** What is said to each recipient instead of a welcome, such as a refusal for good. */
  refusal: string | null = null;
  /** Mails as they came, headers and all. */
  readonly mails: string[] = [];

  private constructor() {
    this.#server = createServer((socket) => {
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
      // A client that hangs up in the middle is its own business.
      socket.on('error', () => socket.destroy());
      void this.#talk(socket);
    });
  }

  /** Listens on a free port, or again on the one it had. */
  static async open(port = 0): Promise<Mailbox> {
    const mailbox = new Mailbox();
    mailbox.#server.listen(port, '127.0.0.1');
    await once(mailbox.#server, 'listening');
    return mailbox;
  }

  /** Mail of this program goes here from now on. */
  async serve(api: Api, to: string): Promise<void> {
    const saved = await api.fetch('PUT', '/settings/email', {
      emailRecipient: to,
      emailFrom: 'posta@esempio.example',
      smtpHost: '127.0.0.1',
      smtpPort: this.port,
      smtpUsername: MAIL_USER,
      smtpPassword: MAIL_PASSWORD,
      smtpSecure: false,
    });
    expect(saved.status).toBe(200);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** The address does not answer any more. */
  async close(): Promise<void> {
    for (const socket of this.#open) {
      socket.destroy();
    }
    if (this.#server.listening) {
      this.#server.close();
      await once(this.#server, 'close');
    }
  }

  async #talk(socket: Socket): Promise<void> {
    const say = (line: string) => socket.write(`${line}\r\n`);
    let mail: string[] | null = null;
    say('220 prova');
    for await (const line of createInterface({ input: socket })) {
      if (mail !== null) {
        if (line === '.') {
          this.mails.push(mail.join('\n'));
          mail = null;
          say('250 presa in consegna');
        } else {
          mail.push(line.startsWith('.') ? line.slice(1) : line);
        }
        continue;
      }
      const [word = '', kind = '', secret = ''] = line.split(' ');
      if (word === 'EHLO') {
        say('250-prova');
        say('250 AUTH PLAIN');
      } else if (word === 'AUTH') {
        const [, user, password] = Buffer.from(secret, 'base64').toString().split('\0');
        const known = kind === 'PLAIN' && user === MAIL_USER && password === MAIL_PASSWORD;
        say(known ? '235 benvenuto' : '535 credenziali errate');
      } else if (word === 'QUIT') {
        say('221 addio');
        socket.end();
      } else {
        say((word === 'RCPT' && this.refusal) || (ANSWERS[word] ?? '502 non capito'));
        mail = word === 'DATA' ? [] : null;
      }
    }
  }
}
