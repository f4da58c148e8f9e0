// The SDK's own client, on each transport of the tool server.

import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const main = join(import.meta.dirname, '../../bin/start.cjs');

export interface ToolAnswer {
  isError: boolean;
  text: string;
}

export class AgentClient {
  readonly client: Client;
  stderr = '';

  constructor(client = new Client({ name: 'a test', version: '1.0' })) {
    this.client = client;
  }

  static stdio(env: Record<string, string>, ...args: string[]): Promise<AgentClient> {
    return AgentClient.of([process.execPath, main, 'agent', ...args], env);
  }

  // The installed program of the tool server.
  static async of([command = '', ...args]: string[], env: Record<string, string>): Promise<AgentClient> {
    const own = new AgentClient();
    const inherited = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    const transport = new StdioClientTransport({
      command,
      args,
      env: { ...inherited, ...env },
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (piece: Buffer) => {
      own.stderr += piece;
    });
    await own.client.connect(transport);
    return own;
  }

  static async http(url: string, headers: Record<string, string> = {}): Promise<AgentClient> {
    const own = new AgentClient();
    await own.client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    return own;
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { content, isError } = await this.client.callTool({ name, arguments: args });
    const [first] = content as { type: string; text: string }[];
    return { isError: isError === true, text: first?.text ?? '' };
  }

  async json<T = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}): Promise<T> {
    const { isError, text } = await this.call(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
