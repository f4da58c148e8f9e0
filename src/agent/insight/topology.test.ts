// A datacenter that is too large for one diagram.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../base/json.ts';
import { resultText } from '../result.ts';
import type { ToolContext } from '../tool.ts';
import { showTopology } from './topology.ts';

test('[TOOLS-02] a diagram of very many servers is complete, and states how many servers it omits', async () => {
  const servers = Array.from({ length: 5000 }, (_, at) => ({
    id: `00000000-0000-0000-0000-${String(at).padStart(12, '0')}`,
    properties: { name: `server ${at} ${'<'.repeat(50)}`, cores: 1, ram: 1024, vmState: 'RUNNING' },
    entities: { nics: { items: [{ id: `nic${at}`, properties: { lan: 1, ips: ['10.0.0.1'] } }] } },
  }));
  const all: Record<string, Values[]> = {
    '/datacenters': [{ id: 'dc', properties: { name: 'large' } }],
    '/datacenters/dc/servers': servers,
    '/datacenters/dc/lans': [{ id: '1', properties: { name: 'lan', public: true } }],
  };
  const object = async (_: string, path: string) =>
    path === '/datacenters/dc' ? all['/datacenters']?.[0] : { items: all[path] ?? [] };
  const drawing = resultText(
    await showTopology.read({ datacenter_id: 'dc' }, { api: { object } } as unknown as ToolContext),
  );
  assert.match(drawing, /^```mermaid\n[^`]*\n {2}end\n[^`]*\n```\nDatacenter dc: 5000 servers, 1 LAN\.$/);
  const [, left] = /more\["(\d+) more servers"\]/.exec(drawing) ?? [];
  assert.equal(drawing.match(/^ {4}s\d+\[/gm)?.length, 5000 - Number(left));
});
