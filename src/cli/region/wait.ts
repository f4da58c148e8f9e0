// `wait`: returns when a region is ready, for scripts and CI.
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { seconds } from '../../command/option-values.ts';
import { print, printJson } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';

const pollMs = 50;
const usualLimitS = 60;
const leastLookMs = 1000; // one check is made, however short the time is
const notReady = 3; // the exit code

export const wait: Command = {
  name: 'wait',
  about:
    'Waits until the region is ready. Exits with 0 when it is, with 3 after the timeout, and with 2 when ' +
    'the command is wrong. Name a remote region, such as one in a container, by its address.',
  options: [
    { name: 'url', takes: 'URL', help: 'the gateway of a remote region, instead of the one on the data folder' },
    { name: 'timeout', takes: 'TIME', help: `how long to wait, such as 30s or 5m (default: ${usualLimitS}s)` },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet wait', 'until the region on ./data is ready'],
    ['cumulet wait --url http://127.0.0.1:7070 --timeout 2m', 'for one in a container'],
  ],
  async run(input) {
    const limit = input.get('timeout');
    const limitS = limit === undefined ? usualLimitS : seconds(limit);
    if (limitS === undefined) throw new Fault('refused', `--timeout expects a time such as 30s or 5m, not '${limit}'.`);
    const look = lookAt(input);
    const until = performance.now() + limitS * 1000;
    for (;;) {
      const { gateway, trouble } = await look(Math.max(Math.ceil(until - performance.now()), leastLookMs));
      if (gateway !== undefined) {
        if (input.has('json')) printJson({ ready: true, gateway });
        else print(`The region is ready at ${gateway}.`);
        return 0;
      }
      if (performance.now() > until) {
        if (input.has('json')) printJson({ ready: false, message: trouble });
        else process.stderr.write(`cumulet: the region is not ready after ${limitS} s: ${trouble}\n`);
        return notReady;
      }
      await pause(pollMs);
    }
  },
};

interface Seen {
  gateway?: string; // it is ready
  trouble?: string;
}

// Each check has a time limit: a server may listen there and never answer.
function lookAt(input: Input): (limitMs: number) => Promise<Seen> {
  const url = input.get('url');
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Fault('refused', `--url expects an address such as http://127.0.0.1:7070, not '${url}'.`);
  const gatewayOf = async (limitMs: number): Promise<string> =>
    url?.replace(/\/$/, '') ?? (await askRegion(input.data, 'ready', {}, limitMs)).gateway;
  return async (limitMs) => {
    try {
      const gateway = await gatewayOf(limitMs);
      const { ok, status } = await fetch(`${gateway}/ready`, { signal: AbortSignal.timeout(limitMs) });
      return ok ? { gateway } : { trouble: `it returns status ${status}.` };
    } catch (error) {
      const { cause, message, name } = error as Error;
      if (name === 'TimeoutError') return { trouble: 'it does not answer.' };
      return { trouble: cause instanceof Error && !(error instanceof Fault) ? cause.message : message };
    }
  };
}
