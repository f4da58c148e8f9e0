// Real agents send the lines of a file by TLS, half of them before the region is stopped and half while it is down:
// each sent line must be found once. Fluentd is in no available registry (it is a Ruby gem); its forward protocol is
// that of @fluent-org/logger (fluent-logger.test.ts).
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { forwardPlace } from '../../harness/forward.ts';
import { addLogPipeline, search, stream } from '../../harness/logs.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { untilAnswered } from '../agents/process.ts';
import { openRelay } from '../agents/relay.ts';
import { workFolder } from '../run.ts';
import { senders } from './senders.ts';

const each = 300; // lines of an agent

test('[LOG-04] [LOG-05] each line that agents send across a stop of the region is found once', async (t) => {
  const found = await Promise.all(senders.map(async (sender) => ({ sender, ...(await sender.find()) })));
  for (const { sender, skip } of found) if (skip) t.diagnostic(`without ${sender.name}: ${skip}`);
  const folder = workFolder(t);
  await using https = await openRelay();
  await using forward = await openRelay();
  await using region = await startRegion();
  const follow = (): void => {
    https.to(Number(new URL(region.https).port));
    forward.to(forwardPlace(region).port);
  };
  follow();
  const pipeline = await addLogPipeline(
    region,
    senders.map(({ tag, protocol }) => stream(tag, { protocol })),
  );
  const ca = join(folder, 'ca.pem');
  copyFileSync(join(region.data, 'ca.pem'), ca);
  await using agents = new AsyncDisposableStack();
  const started = found.flatMap(({ sender, path }) => {
    if (!path) return [];
    const own = join(folder, sender.tag);
    const file = join(own, 'lines.log');
    mkdirSync(own);
    writeFileSync(file, linesOf(0, each / 2));
    const url = https.url.replace('http:', 'https:') + pipeline.path;
    const target = {
      ...{ tag: sender.tag, key: pipeline.key, url, ca, file, folder: own },
      forwardPort: portOf(forward.url),
    };
    return [{ sender, file, agent: agents.use(sender.start(path, target)) }];
  });
  const numbersOf = async (tag: string): Promise<number[]> => {
    const lines = await search(region, pipeline, `{tag="${tag}"}`);
    return lines.map(({ line }) => Number(/line (\d+) of/.exec(line)?.[1])).sort((a, b) => a - b);
  };
  const has = (count: number): Promise<unknown> =>
    Promise.all(
      started.map(({ sender: { name, tag }, agent }) =>
        untilAnswered(
          `${count} lines of ${name}`,
          async () => (await numbersOf(tag)).length >= count,
          limits.slowAgent,
        ).catch(async (error: unknown) => {
          assert.fail(`${error}: ${(await numbersOf(tag)).length}\n${agent.log().slice(-3000)}`);
        }),
      ),
    );
  await has(each / 2);
  await stopFor(region, () => {
    https.to(undefined);
    forward.to(undefined);
    for (const { file } of started) appendFileSync(file, linesOf(each / 2, each));
  });
  follow();
  await has(each);
  for (const { sender } of started) {
    const numbers = Array.from({ length: each }, (_, number) => number);
    assert.deepEqual(await numbersOf(sender.tag), numbers, sender.name);
    t.diagnostic(`${each} lines of ${sender.name}`);
  }
});

const linesOf = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at} of ${each}: "quoted" größe\n`).join('');

const portOf = (url: string): number => Number(new URL(url).port);

async function stopFor(region: Region, work: () => void): Promise<void> {
  await region.halt('SIGTERM');
  work();
  await region.start();
}
