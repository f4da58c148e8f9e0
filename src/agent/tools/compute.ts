// Compute tools beyond the declared resources: what stands beside a server, requests, the contract, the catalogue.
import { isObject } from '../../base/json.ts';
import { notShown } from '../result.ts';
import type { Tool } from '../tool.ts';
import { type ReadRow, readTool } from './read-tool.ts';

const datacenter = '/datacenters/{datacenter_id}';
const server = `${datacenter}/servers/{server_id}`;

type Row = Pick<ReadRow, 'name' | 'path' | 'description' | 'isList' | 'hasDepth' | 'columns'>;

const list = (name: string, path: string, description: string, columns: string[] = []): Row => ({
  name,
  path,
  description,
  isList: true,
  hasDepth: true,
  columns,
});
const get = (name: string, path: string, description: string): Row => ({ name, path, description, hasDepth: true });

const nicColumns = ['name', 'lan', 'ips', 'mac', 'firewallActive'];

const rows: readonly Row[] = [
  list('list_server_volumes', `${server}/volumes`, 'List the volumes that are attached to a server.', [
    ...['name', 'type', 'size', 'bus', 'deviceNumber'],
  ]),
  list('list_server_gpus', `${server}/gpus`, 'List the GPUs of a server.'),
  get('get_server_gpu', `${server}/gpus/{gpu_id}`, 'Show one GPU of a server.'),
  {
    name: 'get_server_remote_console',
    path: `${server}/remoteconsole`,
    description: 'Whether a running server has a screen to look at. The address of it is a secret, and not told.',
  },
  list('list_lan_nics', `${datacenter}/lans/{lan_id}/nics`, 'List the NICs in a LAN.', nicColumns),
  list(
    'list_loadbalancer_nics',
    `${datacenter}/loadbalancers/{loadbalancer_id}/balancednics`,
    'List the NICs that a classic load balancer balances.',
    nicColumns,
  ),
  get('get_contract', '/contracts', 'Show the contract: its number, owner, limits and what is used of them.'),
  list('list_requests', '/requests', 'List the changes that were accepted, newest first, with their states.', [
    ...['method', 'url'],
  ]),
  get('get_request', '/requests/{request_id}', 'Show one accepted change: who asked for what, and its body.'),
  {
    name: 'get_request_status',
    path: '/requests/{request_id}/status',
    description: 'The status of an accepted change (BUSY, DONE or FAILED), the reason of a failure, and its targets.',
  },
  list('list_templates', '/templates', 'List the templates of Cubes.', [
    ...['name', 'cores', 'ram', 'storageSize', 'category'],
  ]),
  get('get_template', '/templates/{template_id}', 'Show one template of Cubes.'),
  list('list_images', '/images', 'List images. Use filters, such as {"location": "de/txl", "imageType": "HDD"}.', [
    ...['name', 'location', 'imageType', 'size', 'imageAliases'],
  ]),
  get('get_image', '/images/{image_id}', 'Show one image.'),
  list('list_locations', '/locations', 'List the locations in which datacenters can be.', ['name']),
  list('list_labels', '/labels', 'List all labels of the contract, with what each is on.', [
    ...['key', 'value', 'resourceType', 'resourceId'],
  ]),
];

export const computeTools: readonly Tool[] = rows.map((row) => {
  const tool = readTool({ ...row, group: 'compute', service: 'cloudapi' });
  if (row.name === 'list_requests') return { ...tool, read: readRequests(tool) };
  return row.name === 'get_server_remote_console' ? { ...tool, read: readScreen(tool) } : tool;
});

// Whoever has the address sees the screen, and types on it, without any other credentials.
function readScreen(tool: Tool): Tool['read'] {
  return async (args, sight) => {
    const told = await tool.read(args, sight);
    const hasScreen = isObject(told) && typeof told.url === 'string';
    return {
      available: hasScreen,
      ...(hasScreen && {
        url: notShown,
        note: 'Whoever has the address can use the screen, so a model does not get it. `ionosctl server console get` tells it to a person.',
      }),
    };
  };
}

// The status of a request is one level below its metadata.
function readRequests(tool: Tool): Tool['read'] {
  return async (args, sight) => {
    if (args.depth !== undefined) return tool.read(args, sight);
    const told = (await tool.read({ ...args, depth: 2 }, sight)) as unknown as { items: Shown[]; next_offset?: number };
    const shown = told.items.map(({ id, metadata, properties }) => ({
      id,
      method: properties?.method ?? '',
      url: pathOnly(properties?.url ?? ''),
      createdDate: metadata?.createdDate ?? '',
      createdBy: metadata?.createdBy ?? '',
      status: metadata?.requestStatus?.metadata?.status ?? '',
    }));
    const { next_offset: next } = told;
    return { count: shown.length, items: shown, ...(next !== undefined && { next_offset: next }) };
  };
}

interface Shown {
  id: string;
  metadata?: { createdDate?: string; createdBy?: string; requestStatus?: { metadata?: { status?: string } } };
  properties?: { method?: string; url?: string };
}

const pathOnly = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');
