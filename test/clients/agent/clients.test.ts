// Other MCP clients against a region with one resource of each kind: the Inspector's command line and the Python
// client, over stdio and by the gateway's /mcp.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { bound } from '../../../src/testing/bound.ts';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { AgentClient } from '../../agent/client.ts';
import { maybeMissing, type Populated, populatedRegion, type ToolOfTest } from '../../agent/populated.ts';
import { run } from '../run.ts';
import { inspector, python, pythonMcp } from './programs.ts';

const main = join(import.meta.dirname, '../../../bin/start.cjs');

suite('MCP clients', () => {
  let populated: Populated;
  let tools: ToolOfTest[];
  before(async () => {
    populated = await populatedRegion();
    await using client = await AgentClient.stdio(populated.env);
    tools = await client.tools();
  });
  after(() => populated.region.stop());

  const headers = (): Record<string, string> => ({
    Authorization: `Bearer ${populated.region.token}`,
    'X-Ionos-S3-Access-Key': populated.env.IONOS_S3_ACCESS_KEY ?? '',
    'X-Ionos-S3-Secret-Key': populated.env.IONOS_S3_SECRET_KEY ?? '',
  });
  const url = (): string => `${populated.region.url}/mcp`;

  test('[TOOLS-01, TOOLS-02] the Inspector lists all tools, finds nothing wrong with their schemas, and calls them', async () => {
    const program = await inspector();
    const ways = {
      stdio: ['-e', ...Object.entries(populated.env).flatMap(([name, value]) => [`${name}=${value}`, '-e'])].slice(
        0,
        -1,
      ),
      http: [
        url(),
        '--transport',
        'http',
        ...Object.entries(headers()).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ],
    };
    const ask = (
      way: keyof typeof ways,
      ...more: string[]
    ): Promise<{ stdout: string; stderr: string; code: number | null }> => {
      const target = way === 'stdio' ? [process.execPath, main, 'agent', ...ways.stdio] : ways.http;
      return run([process.execPath, program, '--cli', ...target, ...more], { limitMs: limits.clientSuite });
    };
    for (const way of ['stdio', 'http'] as const) {
      const listed = await ask(way, '--method', 'tools/list', '--strict');
      assert.equal(listed.code, 0, `${way}: ${listed.stderr.slice(0, 2000)}`);
      const listing = JSON.parse(listed.stdout) as { tools: ToolOfTest[] };
      assert.deepEqual(listing.tools.map(({ name }) => name).sort(), tools.map(({ name }) => name).sort());
      // Each call starts a new program, so the plain run takes one of each kind.
      const called = isFull ? tools : tools.filter(({ name }) => sampled.has(name));
      const failed: string[] = [];
      for (const tool of called) {
        const pairs = Object.entries(populated.argumentsOf(tool)).map(
          ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        );
        const args = pairs.flatMap((pair) => ['--tool-arg', pair]);
        const { stdout, stderr } = await ask(way, '--method', 'tools/call', '--tool-name', tool.name, ...args);
        const { content, isError } = JSON.parse(stdout || '{}') as { content?: { text: string }[]; isError?: boolean };
        const text = content?.[0]?.text;
        if (!text || (isError && !maybeMissing.has(tool.name)))
          failed.push(`${way} ${tool.name}: ${(text ?? stderr).slice(0, 500)}`);
      }
      assert.deepEqual(failed, []);
    }
  });

  test('[TOOLS-01, TOOLS-02] the Python client lists and calls every tool', {
    skip: python.skip ?? false,
  }, async () => {
    const interpreter = (await pythonMcp()) as string;
    const calls = Object.fromEntries(tools.map((tool) => [tool.name, populated.argumentsOf(tool)]));
    const tasks = [
      { command: [process.execPath, main, 'agent'], env: populated.env, calls },
      { url: url(), headers: headers(), calls },
    ];
    for (const task of tasks) {
      const journey = JSON.parse(
        await fed([interpreter, join(import.meta.dirname, 'mcp_journey.py')], JSON.stringify(task)),
      );
      assert.equal(Object.keys(journey.tools).length, tools.length);
      const failed = Object.entries(journey.tools as Record<string, { isError: boolean; text: string }>)
        .filter(([name, { isError }]) => isError && !maybeMissing.has(name))
        .map(([name, { text }]) => `${name}: ${text}`);
      assert.deepEqual(failed, []);
      assert.ok(journey.prompts >= 5 && journey.resources >= 2);
    }
  });
});

const sampled = new Set(['list_datacenters', 'get_server', 'estimate_cost']);

// The standard output of a program that is fed by its standard input.
async function fed(command: string[], input: string): Promise<string> {
  const [program = '', ...args] = command;
  const child = spawn(...bound(program, args), { stdio: ['pipe', 'pipe', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const limit = setTimeout(() => child.kill('SIGKILL'), limits.clientSuite); // deadline
  let [output, wrong] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    wrong += text;
  });
  child.once('close', (code) =>
    code === 0 ? resolve(output) : reject(new Error(`${program}: ${code}\n${wrong.slice(-3000)}`)),
  );
  child.stdin.end(input);
  return promise.finally(() => clearTimeout(limit));
}
