// A process inside a container: with a terminal its output is raw, without one the engine interleaves output and error
// output in frames of an eight-byte header.
import { Duplex, PassThrough } from 'node:stream';
import type { MachineStream, OpenOptions, TerminalSize } from '../engine.ts';
import type { DockerApi } from './api.ts';

export interface ExecOptions extends Pick<OpenOptions, 'user' | 'size'> {
  command: readonly string[];
  environment?: readonly string[];
}

export async function execIn(api: DockerApi, container: string, options: ExecOptions): Promise<MachineStream> {
  const { command, user, size, environment = [] } = options;
  const hasTerminal = size !== undefined;
  const { Id: id } = await api.json<{ Id: string }>('POST', `/containers/${container}/exec`, {
    body: {
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: hasTerminal,
      Cmd: [...command],
      Env: [...environment],
      ...(user !== undefined && { User: user }),
    },
  });
  const socket = await api.connect(`/exec/${id}/start`, { body: { Detach: false, Tty: hasTerminal } });
  const resize = async ({ columns, rows }: TerminalSize): Promise<void> => {
    if (hasTerminal) await api.settle('POST', `/exec/${id}/resize`, { w: columns, h: rows }, [400, 404, 409, 500]);
  };
  if (size) await resize(size);
  const errors = new PassThrough();
  const output = new PassThrough();
  if (hasTerminal) {
    errors.end();
    socket.pipe(output);
  } else demultiplex(socket, output, errors);
  socket.on('error', (error) => output.destroy(error));
  const ended = new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.once('end', resolve);
  });
  const exitCode = ended.then(() => exitCodeOf(api, id));
  exitCode.catch(() => undefined); // reported to callers that await it
  return { duplex: joined(socket, output), errors, resize, exitCode };
}

// The engine knows the code a moment after the output has ended.
async function exitCodeOf(api: DockerApi, id: string): Promise<number> {
  for (let tries = 0; ; tries++) {
    const { Running, ExitCode } = await api.json<{ Running: boolean; ExitCode: number | null }>(
      'GET',
      `/exec/${id}/json`,
    );
    if (!Running) return ExitCode ?? 0;
    if (tries >= 100) return -1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Input goes to the engine, output comes from the demultiplexed stream. The two directions end independently.
function joined(socket: Duplex, output: PassThrough): Duplex {
  const duplex = new Duplex({
    write: (chunk, encoding, done) => void (socket.writable ? socket.write(chunk, encoding, done) : done()),
    final: (done) => {
      socket.end();
      done();
    },
    read: () => output.resume(),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  output.on('data', (chunk) => {
    if (!duplex.push(chunk)) output.pause();
  });
  output.on('end', () => duplex.push(null));
  output.on('error', (error) => duplex.destroy(error));
  output.pause();
  return duplex;
}

const headerBytes = 8;
const errorStream = 2;

export function demultiplex(from: Duplex, output: PassThrough, errors: PassThrough): void {
  let held: Buffer = Buffer.alloc(0);
  let left = 0; // missing bytes of the frame
  let to = output;
  from.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (;;) {
      if (left === 0) {
        if (held.length < headerBytes) break;
        to = held[0] === errorStream ? errors : output;
        left = held.readUInt32BE(4);
        held = held.subarray(headerBytes);
      }
      if (held.length === 0) break;
      const part = held.subarray(0, left);
      held = held.subarray(part.length);
      left -= part.length;
      if (!to.write(part)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    }
  });
  from.once('end', () => {
    output.end();
    errors.end();
  });
  from.once('close', () => {
    output.end();
    errors.end();
  });
}
