/** A line between browser and server that breaks. Must change no byte of what it lets through. */
import { once } from 'node:events';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class Line {
  readonly #server: Server;
  /** How many bodies of files have still to break off. */
  #breaks: number;
  /** Of the bodies of files that were sent, each as it was announced. */
  readonly lengths: number[] = [];

  private constructor(breaks: number) {
    this.#breaks = breaks;
    this.#server = createServer((request, response) => {
      const { method, headers, url = '' } = request;
      const onward = ask(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      const gone = () => {
        request.socket.destroy();
        onward.destroy();
      };
      onward.on('error', gone);
      response.on('error', gone);
      if (method !== 'PATCH') {
        request.pipe(onward);
        return;
      }
      const length = Number(headers['content-length']);
      this.lengths.push(length);
      if (this.#breaks === 0) {
        request.pipe(onward);
        return;
      }
      let left = Math.max(1, Math.floor(length / (this.#breaks + 1)));
      this.#breaks -= 1;
      request.on('data', (bytes: Buffer) => {
        const part = bytes.subarray(0, left);
        left -= part.length;
        if (part.length > 0) {
          onward.write(part, () => left === 0 && gone());
        }
      });
    });
  }

  /** One that breaks so often while a file is sent. */
  static async open(breaks: number): Promise<Line> {
    const line = new Line(breaks);
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  /** How often it has still to break. */
  get breaks(): number {
    return this.#breaks;
  }

  /** For a browser, which else goes straight to this machine. */
  get proxy(): { server: string; bypass: string } {
    const { port } = this.#server.address() as AddressInfo;
    return { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>' };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
