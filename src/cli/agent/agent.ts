// `agent`: the tool server for AI clients, over standard input and output or HTTP.
import { once } from 'node:events';
import type { Access } from '../../agent/client/connection.ts';
import type { AgentServerOptions } from '../../agent/server/agent-server.ts';
import { agentSettings } from '../../agent/settings.ts';
import { Fault } from '../../base/fault.ts';
import { environment } from '../../config/environment.ts';
import { type Command, dataOption } from '../command.ts';
import { programVersion } from '../program-version.ts';

export const agent: Command = {
  name: 'agent',
  about:
    'Gives an AI client read-only tools for the whole region, by the Model Context Protocol. It calls the platform at ' +
    'IONOS_API_URL with the token in IONOS_TOKEN; tools for buckets need IONOS_S3_ACCESS_KEY and IONOS_S3_SECRET_KEY. ' +
    'With --data it takes address and token from the region that runs on that folder. It can create, change and delete ' +
    'nothing. Standard output is the protocol; what it does is told on standard error.',
  options: [
    {
      name: 'load-mode',
      takes: 'MODE',
      help: 'eager: all tools are listed (the default); lazy: compute and object storage on request; dynamic: three tools that find and call the others (IONOS_MCP_LOAD_MODE)',
    },
    { name: 'transport', takes: 'NAME', help: 'stdio (the default) or http (IONOS_MCP_TRANSPORT)' },
    {
      name: 'http-addr',
      takes: 'ADDRESS',
      help: 'for http: HOST:PORT, 127.0.0.1:8080 by default (IONOS_MCP_HTTP_ADDR)',
    },
    { name: 'version', help: 'show the version' },
    { ...dataOption, help: 'use the region that runs on this folder, with a token of its owner' },
  ],
  examples: [
    [
      'claude mcp add cumulet -- /path/to/cumulet agent --data /path/to/data',
      'for Claude Code, with the region on that folder',
    ],
    ['eval "$(cumulet env)" && cumulet agent --transport http', 'for clients that speak HTTP'],
  ],
  async run(input) {
    if (input.has('version')) {
      process.stdout.write(`${programVersion()}\n`);
      return 0;
    }
    const data = input.has('data') ? input.data : undefined;
    const settings = agentSettings(
      { mode: input.get('load-mode'), transport: input.get('transport'), address: input.get('http-addr'), data },
      environment.variables(),
    );
    const version = programVersion();
    log(`${version}: ${settings.notes.join('; ')}`);
    // What answers the first message is loaded first; the declarations of all products follow while the client reads.
    const { sightOf } = await import('../../agent/sight.ts');
    const { Connection } = await import('../../agent/client/connection.ts');
    const connection =
      data === undefined
        ? new Connection({ source: 'environment', find: () => settings.access })
        : new Connection({ source: 'data folder', find: () => regionOn(data) });
    const { storageKey } = settings;
    const options: Omit<AgentServerOptions, 'loaded'> = {
      version,
      mode: settings.mode,
      toolbox: loadToolbox,
      sight: (client) => sightOf({ connection, storageKey, version, client }),
      unexpected: (error) => log(`unexpected: ${(error as Error).stack ?? error}`),
    };
    if (settings.transport === 'stdio') {
      const { serveAgentStdio } = await import('../../agent/server/stdio.ts');
      await serveAgentStdio(options);
      return 0;
    }
    const { listenAgent } = await import('../../agent/server/http.ts');
    const { host, port } = settings;
    const listening = await listenAgent({ ...options, host, port }).catch((error: Error) => {
      throw new Fault(
        'refused',
        `${host}:${port} can't be listened on (${error.message}): choose another --http-addr.`,
      );
    });
    log(`listening on ${listening.url}`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await listening.close();
    return 0;
  },
};

let toolbox: ReturnType<typeof openToolbox> | undefined;

const loadToolbox = (): ReturnType<typeof openToolbox> => {
  toolbox ??= openToolbox();
  return toolbox;
};

async function openToolbox() {
  const [{ toolboxOf }, { declarations }] = await Promise.all([
    import('../../agent/all-tools.ts'),
    import('../../declarations.ts'),
  ]);
  return toolboxOf(declarations);
}

// A running region tells its address and gives a token. Where none runs, every tool says so until one does.
async function regionOn(data: string): Promise<Access> {
  const [{ askRegion }, { cachedToken }, { Failure }] = await Promise.all([
    import('../admin/operations.ts'),
    import('../account/token-cache.ts'),
    import('../../agent/client/failure.ts'),
  ]);
  try {
    const { gateway } = await askRegion(data, 'status', {});
    const token = await cachedToken(data);
    log(`the region on ${data} is at ${gateway}`);
    return { apiUrl: gateway, token };
  } catch (error) {
    throw error instanceof Fault ? new Failure(error.message) : error;
  }
}

const log = (line: string): void => void process.stderr.write(`cumulet agent: ${line}\n`);
