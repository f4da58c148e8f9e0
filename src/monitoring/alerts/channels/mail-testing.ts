// For tests of e-mails: a mail server with scripted replies and TLS, which records what clients send.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createSecureServer, TLSSocket } from 'node:tls';
import { type CertificatePair, createAuthority, issueCertificate } from '../../../base/certificate.ts';
import { machineTime } from '../../../base/clock.ts';

const request = { commonName: 'mail', days: 1, now: machineTime };

export const authority = await createAuthority({ ...request, commonName: 'test' });
export const certificate = (hosts: string[]): Promise<CertificatePair> =>
  issueCertificate(authority, { ...request, hosts });

export interface MailServerOptions {
  features?: string[]; // what it offers after EHLO
  replies?: Record<string, string>; // instead of the default ones, by the first word
  pair?: CertificatePair; // for TLS
  secure?: boolean; // TLS from the beginning
  greeting?: string;
  host?: string; // to listen at
}

const usual: Record<string, string> = {
  MAIL: '250 OK',
  RCPT: '250 OK',
  DATA: '354 continue',
  '.': '250 2.0.0 queued as 1',
  AUTH: '235 welcome',
  QUIT: '221 bye',
  STARTTLS: '220 ready',
};

export class MailServer {
  said: string[] = []; // by clients, line by line, with a + before encrypted lines
  #server: Server;
  #sockets = new Set<Socket>();
  #options: MailServerOptions;

  private constructor(options: MailServerOptions) {
    this.#options = options;
    const { pair } = options;
    const serve = (socket: Socket): void => this.#serve(socket);
    this.#server =
      options.secure && pair
        ? createSecureServer({ cert: pair.certificate, key: pair.key }, serve)
        : createServer(serve);
  }

  static async open(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    server.#server.listen(0, options.host ?? '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  // The text between DATA and the final dot.
  get letters(): string[] {
    const found: string[] = [];
    let letter: string[] | undefined;
    for (const line of this.said.map((one) => one.replace(/^\+/, ''))) {
      if (letter && line !== '.') letter.push(line.replace(/^\.\./, '.'));
      else if (letter) {
        found.push(letter.join('\r\n'));
        letter = undefined;
      } else if (line === 'DATA') letter = [];
    }
    return found;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    this.#listen(socket);
    socket.write(`${this.#options.greeting ?? '220 mail.test ESMTP'}\r\n`);
  }

  #listen(socket: Socket): void {
    let heard = '';
    let inData = false;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      for (;;) {
        const end = heard.indexOf('\r\n');
        if (end < 0) return;
        const line = heard.slice(0, end);
        heard = heard.slice(end + 2);
        this.said.push((socket instanceof TLSSocket ? '+' : '') + line);
        if (inData && line !== '.') continue;
        const reply = this.#reply(line, socket instanceof TLSSocket);
        inData = line === 'DATA' && reply.startsWith('354');
        socket.write(`${reply}\r\n`);
        if (line === 'QUIT') socket.end();
        if (line === 'STARTTLS' && reply.startsWith('220')) return this.#encrypt(socket);
      }
    });
  }

  #encrypt(socket: Socket): void {
    socket.removeAllListeners('data');
    const { pair } = this.#options;
    const secureContext = createSecureContext({ cert: pair?.certificate, key: pair?.key });
    this.#listen(new TLSSocket(socket, { isServer: true, secureContext }));
  }

  #reply(line: string, isEncrypted: boolean): string {
    const word = line.split(/[ :]/, 1)[0] ?? '';
    const { features = [], replies = {} } = this.#options;
    const reply = replies[line] ?? replies[word];
    if (reply !== undefined) return reply;
    if (word !== 'EHLO') return usual[word] ?? '334 next';
    const offered = features.filter((feature) => !isEncrypted || feature !== 'STARTTLS');
    return ['mail.test', ...offered].map((text, at) => `250${at < offered.length ? '-' : ' '}${text}`).join('\r\n');
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
