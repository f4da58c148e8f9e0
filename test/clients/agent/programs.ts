// Other MCP clients: the Inspector's command line, from npm into the cache folder.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/testing/limits.ts';
import { cache, find, once, pythonWith } from '../install.ts';
import { mustRun } from '../run.ts';

const version = '2.12.0';

// Without its scripts, because the command line needs nothing that is built on this machine.
export async function inspector(): Promise<string> {
  const folder = join(cache, `mcp-inspector-${version}`);
  await once(folder, async () => {
    writeFileSync(join(folder, 'package.json'), '{}');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const command = ['npm', 'install', ...options, `@modelcontextprotocol/inspector@${version}`];
    await mustRun(command, { cwd: folder, limitMs: limits.install });
  });
  return join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
}

export const python = find('CUMULET_PYTHON', 'python3');

export const pythonMcp = async (): Promise<string | undefined> =>
  python.path === undefined ? undefined : pythonWith(python.path, 'mcp');
