// A running region in this process: the folder's lock first, then the platform, then the command line's socket; the
// same backwards at the end. A second Ctrl-C ends at once, which the state survives.
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { type Config, environment } from '../../config.ts';
import type { Region } from '../../platform.ts';
import { type Admin, openAdmin } from '../account/admin.ts';
import { operationsOf } from '../account/operator.ts';
import { Unexpected } from '../command.ts';
import type { Mode } from '../mode.ts';
import { type HeldFolder, holdFolder } from './folder.ts';
import { Life, NotBack } from './life.ts';
import { gathered, type LineSink, openLogFile, screenLog, sinkLog } from './log-file.ts';
import { announce } from './welcome.ts';

const { real } = createClock();
const settleMs = 300;

export async function serve(config: Config, mode: Mode): Promise<number> {
  const folder = holdFolders(config);
  const { log, details, sink, file } = openLogs(config, mode);
  process.on('exit', sink.flush);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const life = new Life(config, log, file);
  let admin: Admin;
  try {
    await life.begin();
    const handlers = operationsOf({
      running: () => life.running(),
      away: (work) => life.away(work).catch(orEnd),
      stop: () => stop('down'),
      log,
    });
    admin = await openAdmin(folder.path, handlers, log);
  } catch (error) {
    await life.end();
    folder.release();
    if (error instanceof Fault) throw error;
    details.error('start failed', { error });
    throw new Unexpected(`the region did not start: ${firstLine(error)}`, file);
  }
  const { region, ready } = life.running();
  watchForBugs(details, file);

  let stopping = false;
  const stop = (why: string): void => {
    if (stopping && why === 'SIGINT') process.exit(130);
    if (stopping) return;
    stopping = true;
    tell(mode, 'stopping');
    const answered = admin.close();
    const finish = life.end().then(async () => {
      await Promise.race([answered, pause(settleMs)]); // whoever does not take their answer is not waited for
      folder.release();
      log.info('stopped', { why });
      tell(mode, 'stopped');
    });
    finish.then(
      () => end(0),
      (error: unknown) => {
        log.error('stop failed', { error });
        end(1);
      },
    );
  };
  // It can't serve any more; the state is whole, and the next start goes on from it.
  const orEnd = (error: unknown): never => {
    if (error instanceof NotBack) {
      log.error('did not start again', { error: error.cause });
      process.stderr.write(`cumulet: the region did not start again: ${firstLine(error.cause)}\n`);
      setTimeout(end, settleMs, 1); // the answer leaves first
    }
    throw error;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));

  log.info('ready', { version: ready.version, gateway: ready.gateway, pid: ready.pid });
  if (mode.background) process.send?.(ready, () => process.disconnect?.());
  else announce(ready, mode, ownerNote(region));
  // Whatever was compiled for the first time is kept, even when this process is killed later.
  setTimeout(flushCompileCache, settleMs).unref();
  process.exit(await ended);
}

const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';

interface Logs {
  log: Log;
  details: Log; // not for the screen
  sink: LineSink;
  file: string | undefined;
}

// The data folder, and that of the state where it is another: one process has each.
function holdFolders({ data, state }: Config): HeldFolder {
  const seat = /^sqlite:(.*)$/.exec(state)?.[1];
  if (seat === data) return holdFolder(data);
  const folder = holdFolder(data, 'elsewhere');
  try {
    const other = seat === undefined ? undefined : holdFolder(seat, 'any', data);
    return {
      path: folder.path,
      release() {
        other?.release();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

function openLogs(config: Config, mode: Mode): Logs {
  if (mode.json && !mode.background) {
    const sink = gathered((text) => void process.stderr.write(text));
    process.stderr.on('error', () => {}); // nobody reads any more
    const log = sinkLog(sink, real);
    return { log, details: log, sink, file: undefined };
  }
  const file = join(config.data, 'cumulet.log');
  const sink = openLogFile(file);
  const details = sinkLog(sink, real);
  const log = mode.background ? details : screenLog(details, (line) => void process.stderr.write(line), real);
  return { log, details, sink, file };
}

// From here on, what nobody expected ends the process: the state is safe, and the next start goes on from it.
function watchForBugs(details: Log, file: string | undefined): void {
  process.on('uncaughtException', (error) => {
    details.error('unexpected', { error });
    const where = file === undefined ? '' : `; the details stand in ${file}`;
    process.stderr.write(`cumulet: ended by an unexpected error: ${firstLine(error)}${where}\n`);
    process.exit(1);
  });
}

const ownerNote = ({ config }: Region): string =>
  environment.ownerPassword() === undefined ? join(config.data, 'owner.json') : '';

function tell(mode: Mode, event: 'stopping' | 'stopped'): void {
  if (mode.background) return;
  if (mode.json) process.stdout.write(`${JSON.stringify({ event })}\n`);
  else if (event === 'stopped') process.stdout.write('Stopped. Everything is kept in the data folder.\n');
  else process.stdout.write('\nStopping: calls that are under way may end. Ctrl-C again ends it at once.\n');
}
