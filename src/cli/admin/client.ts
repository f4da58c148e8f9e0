// The client of the admin socket (admin.sock in the data folder).
import { Fault } from '../../base/fault.ts';
import { request } from '../../base/http.ts';
import { homeOf, isLocked, lockHolder } from '../../region-data/data-folder.ts';
import { type SocketPlace, socketPlace } from '../region/socket-path.ts';

const defaultTimeoutMs = 120_000; // moving the clock by years runs everything that becomes due

export class NotRunning extends Fault {}

// `onLine`: for operations that answer with lines, until the region ends.
export async function callAdmin(
  folder: string,
  operation: string,
  body: unknown,
  timeoutMs = defaultTimeoutMs,
  onLine?: (line: string) => void,
): Promise<unknown> {
  let socket: SocketPlace;
  try {
    socket = socketPlace(isLocked(folder) ? homeOf(folder) : folder, 'admin.sock');
  } catch (error) {
    throw notRunning(folder, error);
  }
  try {
    const { status, text } = await post(socket.path, operation, JSON.stringify(body), timeoutMs, onLine);
    if (onLine && status === 200) return undefined;
    const value = JSON.parse(text) as { messages?: string[] };
    if (status === 200) return value;
    const [first = `The region returned status ${status}.`, ...more] = value.messages ?? [];
    throw new Fault('refused', first, { problems: [first, ...more].map((message) => ({ message })) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') throw notRunning(folder, error);
    if (code === 'EACCES')
      throw new Fault('forbidden', `The region on ${folder} belongs to another user of this machine.`);
    if (code === 'ECONNRESET') throw new Fault('unavailable', `The region on ${folder} ended during the call.`);
    throw error;
  } finally {
    socket.close();
  }
}

function post(
  socketPath: string,
  operation: string,
  body: string,
  timeoutMs: number,
  onLine: ((line: string) => void) | undefined,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const sent = request({ socketPath, method: 'POST', path: `/${operation}`, headers, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!onLine || response.statusCode !== 200) return;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  sent.setTimeout(timeoutMs, () => {
    sent.destroy(new Fault('unavailable', `The region does not answer within ${timeoutMs / 1000} seconds.`));
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

function notRunning(folder: string, cause: unknown): Fault {
  if (!isLocked(folder)) {
    return new NotRunning(
      'missing',
      `No region runs on the data folder ${folder}: start one with up, or name another --data.`,
      { cause },
    );
  }
  const pid = lockHolder(folder);
  const message = `The region on ${folder}${pid === undefined ? '' : ` (pid ${pid})`} is starting or stopping: try again.`;
  return new NotRunning('unavailable', message, { cause });
}
