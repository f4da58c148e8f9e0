// For tests: a process that receives pushes of a hundred thousand series for a while, queries them, and reports how
// much more memory it holds than at the start. Needs --expose-gc.
import { machineTime } from '../../../base/clock.ts';
import { encodeRemoteWrite } from '../../push/remote-write/encode.ts';
import { generous } from '../contract/pushes.ts';
import type { PushJob } from '../engine.ts';
import { openedIn } from './testing.ts';

const all = 100_000;
const ofPush = 2000;
const steps = 25;

const folder = process.argv[2];
if (folder) {
  const { writer, reader, close } = await openedIn(folder);
  const before = heldBytes();
  const start = machineTime() - steps * 15_000;
  for (let from = 0; from < all; from += ofPush) await writer.append([jobOf(start, from)]);
  const selection = { tenant: 't', fromMs: start, toMs: start + 1e9 };
  const matchers = [{ name: 'instance', op: '=', value: 'host-7' }] as const;
  await reader.select({ ...selection, matchers });
  const { series } = await writer.figures();
  const megabytes = Math.round((heldBytes() - before) / 1e6);
  await close();
  console.log(JSON.stringify({ megabytes, series }));
}

// Without garbage, because the time of its collection depends on the load of the machine.
function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage(); // `external` includes array buffers
  return heapUsed + external;
}

// All steps in one push, since creating pushes costs memory too.
function jobOf(start: number, from: number): PushJob {
  const times = Array.from({ length: steps }, (_, step) => start + step * 15_000);
  const series = Array.from({ length: ofPush }, (_, at) => ({
    labels: [
      ['__name__', 'http_requests_total'],
      ['instance', `host-${(from + at) % 100}`],
      ['job', 'api'],
      ['method', at % 2 === 0 ? 'GET' : 'POST'],
      ['path', `/api/v1/resource/${from + at}`],
      ['status', '200'],
    ] as const,
    times,
    values: times.map((_, step) => step * at),
  }));
  const body = new Uint8Array(encodeRemoteWrite(series));
  const push = { format: 'remote-write-1', coding: 'snappy', receivedMs: start, body } as const;
  return { tenant: 't', account: 'a', push, limits: { ...generous, oldestMs: 0, newestMs: 1e15 } };
}
