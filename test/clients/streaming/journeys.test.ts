// Every client makes its journey with a cluster and sees the expected results.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import type { Absent, Found } from '../install.ts';
import { mustRun, workFolder } from '../run.ts';
import { administrationExpected, migrationExpected } from './administration.ts';
import { expected, type Place, placeOf } from './journey.ts';
import { kcatExpected, kcatJourney } from './kcat.ts';
import { apacheKafka, franzGo, javaClient, javaCommand, kcat, pythonClient } from './programs.ts';
import { openTarget, type Target } from './target.ts';
import { consoleToolsWork } from './tools.ts';

const here = import.meta.dirname;

interface Client {
  name: string;
  program: Found | Absent;
  command(program: string): Promise<string[]>;
  sees: unknown;
}

const { consumer: _, ...classicOnly } = expected;
const { isGroupGone: _gone, ...withoutDeletedGroup } = expected.admin;
const { offset: _offset, ...withoutOffset } = expected.transactions;

const clients: Client[] = [
  {
    name: 'confluent-kafka',
    program: await pythonClient('confluent-kafka'),
    command: async (python) => [python, join(here, 'confluent_journey.py')],
    sees: expected,
  },
  {
    name: 'aiokafka',
    program: await pythonClient('aiokafka[lz4,snappy,zstd]'),
    command: async (python) => [python, join(here, 'aiokafka_journey.py')],
    // It supports neither the consumer protocol nor the deletion of a group.
    sees: { ...classicOnly, admin: { ...withoutDeletedGroup, groups: ['bank', 'classic'] } },
  },
  {
    name: 'franz-go',
    program: await franzGo(),
    command: async (program) => [program],
    // Its transactions contain only offsets that its own consumer read.
    sees: { ...classicOnly, transactions: withoutOffset, admin: { ...expected.admin, groups: ['classic'] } },
  },
  {
    name: "Apache Kafka's client",
    program: await javaClient(),
    command: async () => javaCommand('Journey'),
    sees: expected,
  },
];
const [java, cat] = [await javaClient(), await kcat()];

const engines = [{ name: 'the embedded broker', address: 'embedded' }];
const kafka = await apacheKafka();
if (kafka.path) engines.push({ name: 'Apache Kafka', address: `kafka+jvm:${kafka.path}` });

for (const { name: engine, address } of engines) {
  const isShort = address !== 'embedded' && !isFull; // one journey, to test that clients can connect
  describe(`clients of a cluster on ${engine}`, { concurrency: 2 }, () => {
    let target: Target;
    before(async () => {
      target = await openTarget(address);
    });
    after(() => target?.close());
    const place = (t: { after(done: () => void): void }, name: string): [Place, string] => {
      const folder = workFolder(t);
      return [placeOf(folder, name, target), folder];
    };

    for (const [at, { name, program, command, sees }] of isShort ? [] : clients.entries()) {
      it(`[STREAM-06] ${name} makes its journey`, { skip: program.skip ?? false }, async (t) => {
        const [given] = place(t, `journey-${at}`);
        const words = await command(program.path ?? '');
        const { stdout } = await mustRun([...words, JSON.stringify(given)], { limitMs: limits.client });
        const { client, ...saw } = JSON.parse(stdout) as Record<string, unknown>;
        t.diagnostic(String(client));
        assert.deepEqual(saw, sees);
      });
    }

    it('[STREAM-06] kcat makes its journey', { skip: cat.skip ?? false }, async (t) => {
      const [given, folder] = place(t, 'kcat');
      await target.createTopic('kcat-codecs', 1);
      await target.createTopic('kcat-classic', 6);
      assert.deepEqual(await kcatJourney(cat.path ?? '', given, folder), kcatExpected);
    });

    const programs = { Administration: administrationExpected, Migration: migrationExpected };
    for (const [main, sees] of isShort ? [] : Object.entries(programs)) {
      it(`[STREAM-06] Apache Kafka's client: ${main.toLowerCase()}`, { skip: java.skip ?? false }, async (t) => {
        const [given] = place(t, main.toLowerCase());
        const { stdout } = await mustRun([...(await javaCommand(main)), JSON.stringify(given)]);
        assert.deepEqual(JSON.parse(stdout), sees);
      });
    }

    const noTools = isShort ? 'only in a full run (--full)' : java.skip;
    it("[STREAM-06] Apache Kafka's console tools work", { skip: noTools ?? false }, async (t) => {
      await consoleToolsWork(...place(t, 'console'));
    });
  });
}
