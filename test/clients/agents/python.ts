// The Python client library of Prometheus, in a small program that posts its metrics.
import { join } from 'node:path';
import { pythonWith } from '../install.ts';
import { mustRun } from '../run.ts';
import { type Agent, startAgent } from './process.ts';

const program = join(import.meta.dirname, 'python-metrics/push.py');

export interface PythonTarget {
  url: string;
  key: string;
  header: string;
}

interface Line {
  status: number;
  form?: string;
  atMs?: number;
  value?: number;
}

export const pythonClient = (python: string): Promise<string> => pythonWith(python, 'prometheus_client');

const environment = (target: PythonTarget, limitSeconds: number): Record<string, string> => ({
  CLIENT_SETTINGS: JSON.stringify({ ...target, limitSeconds }),
  PYTHONDONTWRITEBYTECODE: '1',
});

export async function pushOnce(interpreter: string, target: PythonTarget): Promise<Line[]> {
  const { stdout } = await mustRun([interpreter, program], { env: environment(target, 60) });
  return lines(stdout);
}

// Pushes until it is stopped; `answered` returns the acknowledged pushes.
export function pushAgain(interpreter: string, target: PythonTarget): Agent & { answered(): Line[] } {
  const agent = startAgent([interpreter, program, 'repeat'], environment(target, 240));
  return { ...agent, answered: () => lines(agent.log()) };
}

const lines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);
