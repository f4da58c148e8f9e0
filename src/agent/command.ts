// `agent`: the tool server for AI clients, over standard input and output or HTTP.
import { once } from 'node:events';
import { Fault } from '../base/fault.ts';
import { type Command, dataOption, type Host } from '../command/command.ts';
import { environment } from '../config/environment.ts';
import { programVersion } from '../config/program-version.ts';
import type { Access } from './client/connection.ts';
import type { AgentServerOptions } from './server/agent-server.ts';
import { agentSettings } from './settings.ts';

export const agent: Command = {
  name: 'agent',
  about:
    'Gives an AI client read-only tools for the whole region, by the Model Context Protocol. It calls the platform at ' +
    'IONOS_API_URL with the token in IONOS_TOKEN; tools for buckets need IONOS_S3_ACCESS_KEY and IONOS_S3_SECRET_KEY. ' +
    'With --data it takes address and token from the region that runs on that folder. It can create, change and delete ' +
    'nothing. Standard output carries the protocol; the log goes to standard error.',
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
  async run(input, program) {
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
    // Only what the first message needs is loaded first; the declarations of all products follow.
    const { toolContextOf } = await import('./tool-context.ts');
    const { Connection } = await import('./client/connection.ts');
    const connection =
      data === undefined
        ? new Connection({ source: 'environment', find: () => settings.access })
        : new Connection({ source: 'data folder', find: () => regionOn(program, data) });
    const { storageKey } = settings;
    const options: Omit<AgentServerOptions, 'loaded'> = {
      version,
      mode: settings.mode,
      toolbox: () => loadToolbox(program),
      context: (client) => toolContextOf({ connection, storageKey, version, client }),
      unexpected: (error) => log(`unexpected: ${(error as Error).stack ?? error}`),
    };
    if (settings.transport === 'stdio') {
      const { serveAgentStdio } = await import('./server/stdio.ts');
      await serveAgentStdio(options);
      return 0;
    }
    const { listenAgent } = await import('./server/http.ts');
    const { host, port } = settings;
    const listening = await listenAgent({ ...options, host, port }).catch((error: Error) => {
      throw new Fault('refused', `${host}:${port} is not available (${error.message}). Choose another --http-addr.`);
    });
    log(`listening on ${listening.url}`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await listening.close();
    return 0;
  },
};

let toolbox: ReturnType<typeof openToolbox> | undefined;

const loadToolbox = (host: Host): ReturnType<typeof openToolbox> => {
  toolbox ??= openToolbox(host);
  return toolbox;
};

async function openToolbox(host: Host) {
  const { toolboxOf } = await import('./all-tools.ts');
  return toolboxOf(await host.resources());
}

// The running region reports its address and creates a token. While no region runs, every tool call says so.
async function regionOn(host: Host, data: string): Promise<Access> {
  const { Failure } = await import('./client/failure.ts');
  try {
    const { gateway, token } = await host.access(data);
    log(`the region on ${data} is at ${gateway}`);
    return { apiUrl: gateway, token };
  } catch (error) {
    throw error instanceof Fault ? new Failure(error.message) : error;
  }
}

const log = (line: string): void => void process.stderr.write(`cumulet agent: ${line}\n`);
