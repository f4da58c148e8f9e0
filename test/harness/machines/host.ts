// The host of a private engine, which reaches the public addresses of machines.
import type { DockerEngine } from './docker-engine.ts';

// A text is run by a shell.
export async function onHost(engine: DockerEngine, command: string | readonly string[]): Promise<string> {
  const words = typeof command === 'string' ? ['bash', '-c', command] : command;
  const network = await engine.docker('ps', '-q', '--filter', 'label=cumulet.network');
  return engine.docker('exec', network, 'nsenter', '-t', '1', '-n', ...words);
}
