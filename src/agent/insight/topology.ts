// `show_topology`: a datacenter as a Mermaid diagram. Names come from users, so they are quoted, and every character
// that could end the quotes, begin markup or break the line is written as an entity.
import type { Json, Values } from '../../base/json.ts';
import { escapeInvisible } from '../result.ts';
import { input, type Tool, type ToolContext, text, textOf } from '../tool.ts';
import { datacenterNamed, type Inventory, inventoryOf } from './inventory.ts';

export const showTopology: Tool = {
  name: 'show_topology',
  group: 'insight',
  description:
    'Draw a datacenter as a Mermaid diagram: LANs, servers with their addresses, load balancers, NAT gateways, cross connects and the internet.',
  input: input({ datacenter_id: text("The datacenter's id or name", { minLength: 1 }) }),
  read: draw,
};

async function draw(args: Values, context: ToolContext): Promise<Json> {
  const { id } = await datacenterNamed(context, textOf(args, 'datacenter_id') ?? '');
  return diagramOf(await inventoryOf(context, id));
}

function diagramOf({ id, name, location, lans, servers, balancers, volumes }: Inventory): string {
  const lines = ['```mermaid', 'flowchart LR', `  subgraph dc["${labelOf(name, location)}"]`];
  const edges: string[] = [];
  for (const lan of lans) {
    const kind = lan.isPublic ? 'public LAN' : 'private LAN';
    lines.push(`    lan${lan.id}[/"${labelOf(`${kind} ${lan.id}`, lan.name)}"/]`);
    if (lan.isPublic) edges.push(`  internet((Internet)) --- lan${lan.id}`);
    if (lan.pcc !== null) edges.push(`  pcc${short(lan.pcc)}{{"cross connect ${short(lan.pcc)}"}} --- lan${lan.id}`);
  }
  const known = new Set(lans.map((lan) => lan.id));
  for (const [at, server] of servers.entries()) {
    if (sizeOf(lines) + sizeOf(edges) > maxDrawn) {
      lines.push(`    more["${counted(servers.length - at, 'more server')}"]`);
      break;
    }
    const disks = server.volumes.length > 0 ? counted(server.volumes.length, 'volume') : 'no volume';
    const size = `${counted(server.cores, 'core')}, ${server.ramMb / 1024} GB, ${disks}`;
    lines.push(`    s${short(server.id)}["${labelOf(server.name || server.id, size, server.state)}"]`);
    for (const nic of server.nics)
      if (known.has(String(nic.lan)))
        edges.push(
          `  lan${nic.lan} ---|"${labelOf(nic.ips[0] ?? 'no address', nic.firewallActive ? 'firewall' : '')}"| s${short(server.id)}`,
        );
  }
  for (const balancer of balancers) {
    const node = `b${short(balancer.id)}`;
    const rules = balancer.kind === 'loadbalancer' ? counted(balancer.rules, 'NIC') : counted(balancer.rules, 'rule');
    lines.push(`    ${node}{"${labelOf(`${titles[balancer.kind]} ${balancer.name}`, balancer.ips.join(' '), rules)}"}`);
    for (const lan of balancer.lans) if (known.has(String(lan))) edges.push(`  ${node} --- lan${lan}`);
    if (balancer.kind === 'natgateway') edges.push(`  ${node} --> internet((Internet))`);
  }
  const loose = volumes.filter(({ attached }) => !attached);
  if (loose.length > 0) lines.push(`    loose[("${counted(loose.length, 'volume')} attached to nothing")]`);
  lines.push(
    '  end',
    ...new Set(edges),
    '```',
    `Datacenter ${id}: ${counted(servers.length, 'server')}, ${counted(lans.length, 'LAN')}.`,
  );
  return lines.join('\n');
}

const maxDrawn = 40_000; // characters: a truncated diagram can't be rendered
const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

const titles = {
  networkloadbalancer: 'NLB',
  applicationloadbalancer: 'ALB',
  loadbalancer: 'load balancer',
  natgateway: 'NAT gateway',
};

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

// Resources that were created together share the beginning of their ids, not the end.
const short = (id: string): string => id.replaceAll('-', '').slice(-12);

const labelOf = (...parts: string[]): string =>
  parts
    .filter((part) => part !== '')
    .map(plain)
    .join('<br/>');

const maxLabel = 60;

// Letters, digits, spaces and harmless signs stay; everything else becomes a numeric Mermaid entity.
const plain = (text: string): string =>
  [...escapeInvisible(text.replaceAll(/\s+/g, ' ')).slice(0, maxLabel)]
    .map((one) => (/[\p{L}\p{N} .,:/_-]/u.test(one) ? one : `#${one.codePointAt(0)};`))
    .join('');
