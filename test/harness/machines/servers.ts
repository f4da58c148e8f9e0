// Real servers of a region, for black-box tests: created, and looked into through the engine.
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import type { Answer, Region } from '../region.ts';
import type { DockerEngine } from './docker-engine.ts';

export const core = '/cloudapi/v6';

export interface EndedRequest {
  status: string;
  message: string;
}

// The end of the request that an answer names.
export async function endOf(region: Region, answer: Answer): Promise<EndedRequest> {
  const at = String(answer.headers.location).replace(/^https?:\/\/[^/]+/, '');
  const isEnded = ({ status }: EndedRequest): boolean => status === 'DONE' || status === 'FAILED';
  const look = async (): Promise<EndedRequest> =>
    (await region.call<{ metadata: EndedRequest }>('GET', at)).body.metadata;
  const { status, message } = await until(`the end of ${at}`, look, isEnded, { limitMs: limits.machine });
  return { status, message };
}

export async function done(region: Region, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await region.call(method, path, body);
  if (answer.status !== 202) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { status, message } = await endOf(region, answer);
  if (status !== 'DONE') throw new Error(`${method} ${path}: ${status} ${message}`);
  return answer;
}

export async function makeDatacenter(region: Region): Promise<string> {
  const { body } = await done(region, 'POST', `${core}/datacenters`, { properties: { name: 'd', location: 'de/txl' } });
  return `${core}/datacenters/${body.id}`;
}

export const bootVolume = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'boot',
  type: 'HDD',
  size: 10,
  imageAlias: 'debian:latest',
  imagePassword: 'Secret12345',
  ...more,
});

export const serverBody = (name: string, volumes: Record<string, unknown>[], more: Record<string, unknown> = {}) => ({
  properties: { name, cores: 1, ram: 256, ...more },
  entities: { volumes: { items: volumes.map((properties) => ({ properties })) } },
});

export async function makeServer(
  region: Region,
  datacenter: string,
  name: string,
  volume: Record<string, unknown> = {},
): Promise<string> {
  const { body } = await done(region, 'POST', `${datacenter}/servers`, serverBody(name, [bootVolume(volume)]));
  return `${datacenter}/servers/${body.id}`;
}

export const idOf = (path: string): string => path.split('/').at(-1) ?? '';

export async function containerOf({ docker }: DockerEngine, server: string): Promise<string> {
  return docker('ps', '-aq', '--filter', `label=cumulet.machine=${idOf(server)}`);
}

// Runs a command in the machine of a server.
export async function inside(engine: DockerEngine, server: string, command: string): Promise<string> {
  return engine.docker('exec', await containerOf(engine, server), 'sh', '-c', command);
}

export async function vmState(region: Region, server: string): Promise<unknown> {
  return (await region.call('GET', server)).body.properties.vmState;
}
