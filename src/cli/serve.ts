// A running region in this process: the folder's lock first, then the platform, then the command line's socket; the
// same backwards at the end. A second Ctrl-C ends at once, which the state survives.
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { createClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { type Config, environment } from '../config.ts';
import { listContracts } from '../identity/accounts.ts';
import { type Region, startPlatform } from '../platform.ts';
import { type Admin, openAdmin } from './admin.ts';
import { authorityFile } from './ca.ts';
import { Unexpected } from './command.ts';
import { type HeldFolder, holdFolder, keepPublic } from './folder.ts';
import { gathered, type LineSink, openLogFile, screenLog, sinkLog } from './log-file.ts';
import type { Mode } from './mode.ts';
import { operationsOf } from './operator.ts';
import { homeContract } from './operator-tokens.ts';
import { programVersion } from './program-version.ts';
import { type Ready, readyOf } from './ready.ts';
import { announce } from './welcome.ts';

const { real } = createClock();
const settleMs = 300;

export async function serve(config: Config, mode: Mode): Promise<number> {
  const folder = holdFolder(config.data, config.state === `sqlite:${config.data}`);
  const { log, details, sink, file } = openLogs(config, mode);
  process.on('exit', sink.flush);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  let running: Running;
  try {
    running = await start(config, folder, log, file, () => stop('down'));
  } catch (error) {
    folder.release();
    if (error instanceof Fault) throw error;
    details.error('start failed', { error });
    throw new Unexpected(`the region did not start: ${firstLine(error)}`, file);
  }
  const { region, admin, ready } = running;
  watchForBugs(details, file);

  let stopping = false;
  const stop = (why: string): void => {
    if (stopping && why === 'SIGINT') process.exit(130);
    if (stopping) return;
    stopping = true;
    tell(mode, 'stopping');
    admin.close();
    const finish = region.stop().then(() => {
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

interface Running {
  region: Region;
  admin: Admin;
  ready: Ready;
}

async function start(
  config: Config,
  folder: HeldFolder,
  log: Log,
  file: string | undefined,
  stop: () => void,
): Promise<Running> {
  const version = programVersion();
  const region = await startPlatform(config, version, environment.ownerPassword(), log);
  try {
    keepPublic(authorityFile(config.data), region.authority.certificate);
    const contract = homeContract(await listContracts(region.store), config.contract);
    const ready = readyOf(region, { version, contract, log: file });
    const admin = await openAdmin(folder.path, operationsOf(region, ready, stop), log);
    return { region, admin, ready };
  } catch (error) {
    await region.stop();
    throw error;
  }
}

interface Logs {
  log: Log;
  details: Log; // not for the screen
  sink: LineSink;
  file: string | undefined;
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
