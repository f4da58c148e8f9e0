// ionosctl for tests: with a separate home folder, and without confirmation questions.
import assert from 'node:assert/strict';
import type { Region, ResourceBody } from '../../harness/region.ts';
import { mustRun, run, type Way } from '../run.ts';

export interface Ctl {
  tag: string; // in front of every name this run gives
  contract: number;
  text(...args: string[]): Promise<string>;
  shown(...args: string[]): Promise<ResourceBody>;
  query(query: string, ...args: string[]): Promise<unknown>; // the result of a JMESPath query
  fails(...args: string[]): Promise<string>; // returns its error output
  as(env: Record<string, string>): Ctl; // with other credentials
}

export function ctlOf(program: string, region: Region, way: Way): Ctl {
  const withEnv = (env: Record<string, string>): Ctl => {
    const text = async (...args: string[]): Promise<string> => (await mustRun([program, ...args], { env })).stdout;
    const json = async (...args: string[]): Promise<unknown> => JSON.parse(await text(...args, '-o', 'json'));
    return {
      tag: `ctl${way.name}`,
      contract: region.contract,
      text,
      shown: async (...args) => (await json(...args)) as ResourceBody,
      query: (query, ...args) => json(...args, '--query', query),
      fails: async (...args) => {
        const { code, stdout, stderr } = await run([program, ...args], { env });
        assert.notEqual(code, 0, `ionosctl ${args.join(' ')}\n${stdout}`);
        return stdout + stderr;
      },
      as: (more) => withEnv({ ...way.env, ...more }),
    };
  };
  return withEnv(way.env);
}
