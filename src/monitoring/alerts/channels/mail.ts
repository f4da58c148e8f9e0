// Sends one message to one mail server with nodemailer. It uses TLS from the beginning (smtps), or STARTTLS when the
// server offers it. A password is sent only over TLS with a verified certificate, or to this machine itself.
import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import SmtpConnection from 'nodemailer/lib/smtp-connection';
import { DeliveryError, deliveryErrorOf, demandReceiver, receiverLookup } from './webhook.ts';

export interface Mailing {
  url: string; // smtp://user@host:port, smtps://…
  password: string;
  from: string;
  recipients: readonly string[];
  message: string; // with CRLF, ASCII only
  authorities: readonly string[]; // additional trusted certificates
}

// The properties that nodemailer adds to an error.
interface SmtpError extends Error {
  code?: string | undefined;
  originalCode?: string | undefined;
  command?: string | undefined; // the answered command
  response?: string | undefined;
  recipient?: string | undefined;
  rejectedErrors?: SmtpError[] | undefined;
}

const limitMs = 30_000;
const mostReply = 65_536;

// Returns the server's answer to the message. Refused recipients are omitted if at least one is accepted.
export async function sendMail(mailing: Mailing): Promise<string> {
  const { hostname, port, protocol, username } = new URL(mailing.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  demandReceiver(host);
  const failed = Promise.withResolvers<never>();
  const timer = setTimeout(() => failed.reject(new DeliveryError(`not finished in ${limitMs / 1000} s`)), limitMs);
  const socket = connect({ host, port: Number(port) || (secure ? 465 : 25), lookup: receiverLookup });
  const deliver = async (): Promise<string> => {
    await once(socket, 'connect');
    const user = decodeURIComponent(username);
    const session = openSession(socket, host, secure, user !== '', mailing.authorities);
    session.on('error', failed.reject);
    await new Promise<void>((resolve, reject) => session.connect((error) => (error ? reject(error) : resolve())));
    if (user !== '') await logIn(session, socket, user, mailing.password);
    return send(session, mailing);
  };
  try {
    return await Promise.race([deliver(), failed.promise]);
  } catch (error) {
    socket.destroy();
    throw explained(error as SmtpError);
  } finally {
    clearTimeout(timer);
  }
}

// Without a password to protect, TLS with any certificate is better than none.
function openSession(
  socket: Socket,
  host: string,
  secure: boolean,
  hasUser: boolean,
  authorities: readonly string[],
): SmtpConnection {
  const { localAddress = '' } = socket;
  return new SmtpConnection({
    connection: socket,
    host,
    secure,
    name: `[${isIPv6(localAddress) ? 'IPv6:' : ''}${localAddress}]`,
    tls: {
      rejectUnauthorized: secure || (hasUser && !isLocal(socket)),
      ...(authorities.length > 0 && { ca: [...rootCertificates, ...authorities] }),
    },
    socketTimeout: limitMs,
    maxResponseSize: mostReply,
  });
}

const isLocal = ({ remoteAddress = '' }: Socket): boolean => /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);

async function logIn(session: SmtpConnection, socket: Socket, user: string, pass: string): Promise<void> {
  if (!session.secure && !isLocal(socket))
    throw new DeliveryError('the server offers no TLS, and the password is not sent in plain text');
  const [, offered = ''] = /^250[ -]AUTH[ =](.*)$/im.exec(session.lastServerResponse || '') ?? [];
  const method = ['PLAIN', 'LOGIN'].find((one) => offered.toUpperCase().split(/\s+/).includes(one));
  if (!method) throw new DeliveryError('the server supports neither AUTH PLAIN nor AUTH LOGIN');
  const credentials = { user, pass };
  await new Promise<void>((resolve, reject) =>
    session.login({ user, method, credentials }, (error) => (error ? reject(error) : resolve())),
  );
}

async function send(session: SmtpConnection, { from, recipients, message }: Mailing): Promise<string> {
  type Accepted = Pick<SmtpError, 'rejectedErrors'> & { response: string };
  const { response, rejectedErrors = [] } = await new Promise<Accepted>((resolve, reject) =>
    session.send({ from, to: [...recipients] }, message, (error, info) => (error ? reject(error) : resolve(info))),
  );
  session.quit(); // the message is delivered, whatever the server answers to this
  const refused = rejectedErrors.length > 0 ? `; not for ${refusals(rejectedErrors)}` : '';
  return `answered ${inOneLine(response)}${refused}`;
}

// The error shows only what the server answered to which command, without commands and passwords.
function explained(error: SmtpError): DeliveryError {
  const { code, originalCode, command = '', response, rejectedErrors } = error;
  if (rejectedErrors) return new DeliveryError(`no recipient was accepted: ${refusals(rejectedErrors)}`);
  if (response === undefined) return deliveryErrorOf(Object.assign(error, { code: originalCode ?? code ?? '' }));
  if (!/^\d{3}/.test(response)) return new DeliveryError('the server does not speak SMTP');
  const part = command === 'CONN' ? 'the connection' : code === 'EMESSAGE' ? 'the message' : command.split(' ', 1)[0];
  return new DeliveryError(`${part}: the server answered ${inOneLine(response)}`);
}

const refusals = (errors: readonly SmtpError[]): string =>
  errors.map(({ recipient, response = '' }) => `${recipient}: ${inOneLine(response)}`).join('; ');

// A reply of several lines has the code at the start of each.
const inOneLine = (response: string): string =>
  response
    .split(/\r?\n/)
    .map((line, at) => (at === 0 ? line.replace('-', ' ') : line.replace(/^\d{3}[ -]?/, '')))
    .join(' ')
    .slice(0, 200);
