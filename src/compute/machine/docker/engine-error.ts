// Errors of the engine in plain words, for the messages of requests.
import { Fault } from '../../../base/fault.ts';
import { EngineGone } from '../engine-gone.ts';

// A response with an error status. Users see its message if no plainer one is known.
export class EngineError extends Fault {
  readonly status: number;

  constructor(status: number, message: string) {
    super('refused', plain(message));
    this.status = status;
  }
}

export const unreachable = (socketPath: string, cause: unknown): EngineGone =>
  new EngineGone(
    'refused',
    `The Docker Engine at ${socketPath} does not answer (${reasonOf(cause)}). Start it, then repeat the request.`,
    { cause },
  );

const reasonOf = (cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'the socket does not exist';
  if (code === 'ECONNREFUSED') return 'no process listens on it';
  if (code === 'EACCES') return 'this user has no access to the socket';
  return message ?? String(cause);
};

const known: readonly [sought: RegExp, text: string | ((found: RegExpExecArray) => string)][] = [
  [
    /no space left on device/i,
    'The disk that holds the Docker volumes is full. Free some space, then repeat the request.',
  ],
  [/No such image: (\S+)/i, ([, image]) => `The engine has no image ${image}. ${buildHint}`],
  [
    /manifest (?:unknown|for (\S+) not found)/i,
    'The registry does not have this image. Check the name in the catalogue.',
  ],
  [
    /(?:dial tcp|lookup|connection refused|Client\.Timeout|net\/http|TLS handshake)/i,
    `The engine can't reach an image registry. Build the image with: cumulet machines build debian`,
  ],
  [
    /cannot allocate memory|out of memory/i,
    'The host has not enough memory for this machine. Stop other machines first.',
  ],
];

const buildHint = 'Pull it, or build it with: cumulet machines build debian';

export function plain(message: string): string {
  for (const [sought, text] of known) {
    const found = sought.exec(message);
    if (found) return typeof text === 'string' ? text : text(found);
  }
  return `The Docker Engine refused the call: ${message.trim().slice(0, 400)}`;
}
