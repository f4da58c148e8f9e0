// The host of a private engine, which reaches the public addresses of machines.
import type { DockerEngine } from './docker-engine.ts';

export async function onHost(engine: DockerEngine, command: readonly string[]): Promise<string> {
  const network = await engine.docker('ps', '-q', '--filter', 'label=cumulet.network');
  return engine.docker('exec', network, 'nsenter', '-t', '1', '-n', ...command);
}
