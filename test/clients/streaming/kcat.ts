// The journey of kcat, which is a command line: it has no transactions and no administration.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { bound } from '../../../src/testing/bound.ts';
import { mustRun } from '../run.ts';
import { expected, type Place } from './journey.ts';

export const kcatExpected = {
  codecs: expected.codecs,
  steps: expected.classic.steps,
  read: expected.classic.read,
  brokers: 3,
};

export const tlsOf = ({ bootstrap, ca, certificate, key }: Place): string[] => {
  const files = { ca, certificate, key };
  const settings = Object.entries(files).flatMap(([name, path]) => ['-X', `ssl.${name}.location=${path}`]);
  const check = 'ssl.endpoint.identification.algorithm=none';
  return ['-b', bootstrap, '-X', 'security.protocol=ssl', '-X', check, ...settings];
};

// The topics NAME-codecs, with one partition, and NAME-classic, with six, have to be there.
export async function kcatJourney(program: string, place: Place, folder: string): Promise<unknown> {
  const tls = tlsOf(place);
  const kcat = async (...words: string[]): Promise<string[]> => {
    const { stdout } = await mustRun([program, ...tls, ...words]);
    return stdout.trimEnd().split('\n');
  };
  const send = async (topic: string, lines: string[], ...words: string[]): Promise<void> => {
    writeFileSync(join(folder, topic), lines.map((line) => `${line}\n`).join(''));
    await kcat('-P', '-t', topic, '-X', 'enable.idempotence=true', ...words, '-l', join(folder, topic));
  };
  const numbered = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => prefix + at);
  const [codecs, shared] = [`${place.name}-codecs`, `${place.name}-classic`];
  for (const codec of expected.codecs) await send(codecs, numbered(`${codec} `, 50), '-z', codec);
  const read = await kcat('-C', '-t', codecs, '-o', 'beginning', '-e', '-q');
  const isInOrder = read.join() === expected.codecs.flatMap((codec) => numbered(`${codec} `, 50)).join();
  const newMember = (): Member => new Member(program, [...tls, '-G', shared, ...memberSettings, shared]);
  const one = newMember();
  const steps: number[][] = [];
  await one.until(() => one.assigned === 6);
  steps.push([one.assigned]);
  await send(shared, numbered('a', 60));
  await one.until(() => one.values.size === 60);
  const two = newMember();
  await two.until(() => two.assigned === 3);
  await one.until(() => one.assigned === 3);
  steps.push([one.assigned, two.assigned]);
  const all = (): number => new Set([...one.values, ...two.values]).size;
  await send(shared, numbered('b', 60));
  await Promise.race([one, two].map((member) => member.until(() => all() === 120)));
  await one.leave();
  await two.until(() => two.assigned === 6);
  steps.push([two.assigned]);
  await send(shared, numbered('c', 60));
  await two.until(() => all() === 180);
  await two.leave();
  const listed = (await kcat('-L', '-t', shared)).join('\n');
  const brokers = Number(/(\d+) brokers/.exec(listed)?.[1]);
  return { codecs: isInOrder ? expected.codecs : read, steps, read: all(), brokers };
}

const memberSettings = [
  'auto.offset.reset=earliest',
  'heartbeat.interval.ms=200',
  'session.timeout.ms=10000',
  'partition.assignment.strategy=range',
].flatMap((setting) => ['-X', setting]);

// A kcat that stays in its group. It prints its partitions to stderr.
class Member {
  assigned = 0;
  readonly values = new Set<string>();
  readonly #child: ChildProcess;
  #look: () => void = () => {};

  constructor(program: string, words: string[]) {
    this.#child = spawn(...bound(program, ['-u', ...words]), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#lines(this.#child.stdout, (line) => this.values.add(line));
    this.#lines(this.#child.stderr, (line) => {
      if (/rebalanced.*assigned:/.test(line)) this.assigned = line.split('assigned:')[1]?.split(',').length ?? 0;
      else if (/rebalanced.*revoked:/.test(line)) this.assigned = 0;
    });
  }

  // A line may arrive in several pieces.
  #lines(stream: Readable | null, take: (line: string) => void): void {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
      this.#look();
    });
  }

  until(holds: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#look = () => {
      if (holds()) resolve();
    };
    this.#look();
    return promise;
  }

  async leave(): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await closed;
  }
}
