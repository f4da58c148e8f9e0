// A small SMTP client: hands one message to one server. TLS from the beginning (smtps) or by STARTTLS when the server
// offers it. A password is only sent over TLS whose certificate was verified, or to this machine itself.
import { connect as dial, isIP, isIPv6, type Socket } from 'node:net';
import { rootCertificates, connect as secure } from 'node:tls';
import { DeliveryError, inWords } from './webhook.ts';

export interface Mailing {
  url: string; // smtp://user@host:port, smtps://…
  password: string;
  from: string;
  recipients: readonly string[];
  message: string; // with CRLF, and nothing but ASCII
  authorities: readonly string[]; // certificates that are trusted besides the usual ones
}

interface Reply {
  code: number;
  lines: string[];
}

const limitMs = 30_000;
const mostReply = 65_536;

// Tells what the server said to the message. Recipients that it refuses are left out as long as one is taken.
export async function sendMail(mailing: Mailing): Promise<string> {
  const { hostname, port, protocol, username } = new URL(mailing.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'smtps:';
  const session = new Session(host, mailing.authorities);
  const timer = setTimeout(() => session.fail(new DeliveryError(`no end in ${limitMs / 1000} s`)), limitMs);
  try {
    await session.open(Number(port) || (isSecure ? 465 : 25));
    const user = decodeURIComponent(username);
    await greet(session, isSecure, user !== '');
    if (user !== '') await logIn(session, user, mailing.password);
    return await deliver(session, mailing);
  } catch (error) {
    throw inWords(error as Error);
  } finally {
    clearTimeout(timer);
    session.close();
  }
}

// Without a password to lose on the way, TLS with any certificate is better than none.
async function greet(session: Session, isSecure: boolean, hasUser: boolean): Promise<void> {
  if (isSecure) await session.encrypt(true);
  await session.expect(220, 'the connection');
  await session.hello();
  if (isSecure || !session.offers('STARTTLS')) return;
  await session.say('STARTTLS', 220);
  await session.encrypt(hasUser && !session.isLocal);
  await session.hello();
}

async function logIn(session: Session, user: string, password: string): Promise<void> {
  if (!session.isVerified && !session.isLocal)
    throw new DeliveryError('the server offers no TLS: the password is not sent in the clear');
  const ways = session.offered('AUTH');
  if (ways.includes('PLAIN')) {
    await session.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235, 'AUTH');
  } else if (ways.includes('LOGIN')) {
    await session.say('AUTH LOGIN', 334, 'AUTH');
    await session.say(base64(user), 334, 'AUTH');
    await session.say(base64(password), 235, 'AUTH');
  } else throw new DeliveryError('the server takes no password by AUTH PLAIN or LOGIN');
}

async function deliver(session: Session, { from, recipients, message }: Mailing): Promise<string> {
  await session.say(`MAIL FROM:<${from}>`, 250, 'MAIL');
  const refused: string[] = [];
  for (const recipient of recipients) {
    const { code, lines } = await session.ask(`RCPT TO:<${recipient}>`);
    if (code !== 250 && code !== 251) refused.push(`${recipient}: ${told(code, lines)}`);
  }
  if (refused.length === recipients.length) throw new DeliveryError(`no recipient was taken: ${refused.join('; ')}`);
  await session.say('DATA', 354);
  const { code, lines } = await session.say(`${stuffed(message)}.`, 250, 'the message');
  const left = refused.length > 0 ? `; not for ${refused.join('; ')}` : '';
  session.write('QUIT\r\n'); // it has taken the message: whatever it says to this, it is delivered
  return `answered ${told(code, lines)}${left}`;
}

// A line that begins with a dot would end the message.
const stuffed = (message: string): string => message.replace(/(?:\r\n)?$/, '\r\n').replace(/^\./gm, '..');

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const told = (code: number, lines: string[]): string => `${code} ${lines.join(' ')}`.slice(0, 200);

class Session {
  isVerified = false; // encrypted, with a certificate that is good for the host
  #socket: Socket | undefined;
  #host: string;
  #authorities: readonly string[];
  #features: string[] = [];
  #heard = '';
  #replies: Reply[] = [];
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
  #broken: Error | undefined;

  constructor(host: string, authorities: readonly string[]) {
    this.#host = host;
    this.#authorities = authorities;
  }

  get isLocal(): boolean {
    return /^(?:::ffff:)?127\.|^::1$/.test(this.#socket?.remoteAddress ?? '');
  }

  open(port: number): Promise<void> {
    const socket = dial({ host: this.#host, port });
    return this.#begin(socket, 'connect');
  }

  // What was said in the clear before it does not count any more.
  async encrypt(verifies: boolean): Promise<void> {
    const plain = this.#socket as Socket;
    for (const event of ['data', 'error', 'close']) plain.removeAllListeners(event);
    plain.on('error', () => undefined); // the encrypted one tells of it
    this.#heard = '';
    this.#replies = [];
    const socket = secure({
      socket: plain,
      rejectUnauthorized: verifies,
      ...(isIP(this.#host) ? { host: this.#host } : { servername: this.#host }),
      ...(this.#authorities.length > 0 && { ca: [...rootCertificates, ...this.#authorities] }),
    });
    await this.#begin(socket, 'secureConnect');
    this.isVerified = socket.authorized;
  }

  #begin(socket: Socket, event: string): Promise<void> {
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      socket.once(event, resolve);
      socket.setEncoding('latin1');
      socket.on('data', (text: string) => this.#hear(text));
      socket.on('error', (error) => {
        this.fail(error);
        reject(error);
      });
      socket.on('close', () => {
        const error = new DeliveryError('the server closed the connection');
        this.fail(error);
        reject(this.#broken ?? error);
      });
    });
  }

  async hello(): Promise<void> {
    const { address = '' } = (this.#socket?.address() ?? {}) as { address?: string };
    const { lines } = await this.say(`EHLO [${isIPv6(address) ? 'IPv6:' : ''}${address}]`, 250);
    this.#features = lines.slice(1).map((line) => line.toUpperCase());
  }

  offers(feature: string): boolean {
    return this.#features.some((line) => line === feature || line.startsWith(`${feature} `));
  }

  offered(feature: string): string[] {
    return (this.#features.find((line) => line.startsWith(`${feature} `)) ?? '').split(' ').slice(1);
  }

  // `what` is told when it goes wrong, instead of the arguments: there are passwords among them.
  say(text: string, wanted: number, what = text.split(' ', 1)[0] ?? ''): Promise<Reply> {
    this.write(`${text}\r\n`);
    return this.expect(wanted, what);
  }

  ask(text: string): Promise<Reply> {
    this.write(`${text}\r\n`);
    return this.#reply();
  }

  async expect(wanted: number, what: string): Promise<Reply> {
    const reply = await this.#reply();
    if (reply.code === wanted) return reply;
    throw new DeliveryError(`${what}: the server answered ${told(reply.code, reply.lines)}`);
  }

  write(text: string): void {
    this.#socket?.write(text);
  }

  fail(error: Error): void {
    this.#broken ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
    this.#socket?.destroy();
  }

  close(): void {
    const socket = this.#socket;
    this.#broken ??= new DeliveryError('closed');
    socket?.on('error', () => undefined);
    socket?.end();
    socket?.setTimeout(1000, () => socket.destroy());
    socket?.unref();
  }

  #reply(): Promise<Reply> {
    const ready = this.#replies.shift();
    if (ready) return Promise.resolve(ready);
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  // A reply may have several lines; its last has a blank behind the code.
  #hear(text: string): void {
    this.#heard += text;
    if (this.#heard.length > mostReply) {
      this.fail(new DeliveryError('the server says too much'));
      return;
    }
    for (;;) {
      const found = /^(?:\d{3}-[^\n]*\n)*(\d{3})(?: [^\n]*|\r?)\n/.exec(this.#heard);
      if (!found) {
        if (/^(?!\d{3})[^\n]*\n/.test(this.#heard)) this.fail(new DeliveryError('the server does not speak SMTP'));
        return;
      }
      this.#heard = this.#heard.slice(found[0].length);
      const lines = found[0].trimEnd().split('\n');
      const reply = { code: Number(found[1]), lines: lines.map((line) => line.slice(4).trim()) };
      if (this.#waiting) this.#waiting.resolve(reply);
      else this.#replies.push(reply);
      this.#waiting = undefined;
    }
  }
}
