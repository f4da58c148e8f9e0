// The command line.
import { createLog } from './base/log.ts';
import { configOf, environment } from './config.ts';
import { startPlatform } from './platform.ts';

const options = new Map<string, string>();
const args = process.argv.slice(3).filter((arg) => arg !== '--json');
for (let at = 0; at < args.length; at += 2) options.set((args[at] ?? '').slice(2), args[at + 1] ?? '');
const log = createLog((line) => process.stderr.write(line), Date.now);
const region = await startPlatform(configOf(options), '0.1.0', environment.ownerPassword(), log);
const { gateway, config } = region;
const ready = {
  event: 'ready',
  gateway: `http://127.0.0.1:${gateway.port}`,
  https: `https://127.0.0.1:${gateway.securePort}`,
  proxy: `http://127.0.0.1:${gateway.port}`,
  data: config.data,
  pid: process.pid,
  contract: config.contract,
  owner: region.owner,
};
process.stdout.write(`${JSON.stringify(ready)}\n`);
const stop = (): void => void region.stop().then(() => process.exit(0));
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
