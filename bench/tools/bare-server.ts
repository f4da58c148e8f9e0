// The peer of the tool server's start: the MCP SDK with one tool, and nothing else.
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new Server({ name: 'bare', version: '1.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] }));
  return server;
});
