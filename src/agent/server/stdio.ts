// MCP over standard input and output. Only the protocol writes to standard output; the log goes to standard error.
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AgentServerOptions, agentServer } from './agent-server.ts';

export async function serveAgentStdio(options: Omit<AgentServerOptions, 'loaded'>): Promise<void> {
  const loaded = new Set<string>();
  const handle = serveStdio(() => agentServer({ ...options, loaded }), { onerror: options.unexpected });
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  await handle.close();
}
