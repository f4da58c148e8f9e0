// Compute tools beyond the declared resources: devices of a server, requests, the contract, the catalogue.
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
    description: 'Show whether a running server has a remote console. Its address is a secret and is not shown.',
  },
  list('list_lan_nics', `${datacenter}/lans/{lan_id}/nics`, 'List the NICs in a LAN.', nicColumns),
  list(
    'list_loadbalancer_nics',
    `${datacenter}/loadbalancers/{loadbalancer_id}/balancednics`,
    'List the NICs that a classic load balancer balances.',
    nicColumns,
  ),
  get('get_contract', '/contracts', 'Show the contract: its number, owner, limits and their usage.'),
  list('list_requests', '/requests', 'List the changes that were accepted, newest first, with their states.', [
    ...['method', 'url'],
  ]),
  get('get_request', '/requests/{request_id}', 'Show one accepted change: who requested it, and its body.'),
  {
    name: 'get_request_status',
    path: '/requests/{request_id}/status',
    description:
      'Show the status of an accepted change (BUSY, DONE or FAILED), the reason of a failure, and its targets.',
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
  list('list_labels', '/labels', 'List all labels of the contract, with the resource of each.', [
    ...['key', 'value', 'resourceType', 'resourceId'],
  ]),
];

export const computeTools: readonly Tool[] = rows.map((row) => {
  const tool = readTool({ ...row, group: 'compute', service: 'cloudapi' });
  if (row.name === 'list_requests') return { ...tool, read: readRequests(tool) };
  return row.name === 'get_server_remote_console' ? { ...tool, read: readScreen(tool) } : tool;
});

// The address gives access to screen and keyboard without any other credentials.
function readScreen(tool: Tool): Tool['read'] {
  return async (args, context) => {
    const answer = await tool.read(args, context);
    const hasScreen = isObject(answer) && typeof answer.url === 'string';
    return {
      available: hasScreen,
      ...(hasScreen && {
        url: notShown,
        note: 'The address alone gives access to the console, so it is not shown to models. A person gets it with `ionosctl server console get`.',
      }),
    };
  };
}

// The status of a request is one level below its metadata.
function readRequests(tool: Tool): Tool['read'] {
  return async (args, context) => {
    if (args.depth !== undefined) return tool.read(args, context);
    const answer = (await tool.read({ ...args, depth: 2 }, context)) as unknown as {
      items: ListedItem[];
      next_offset?: number;
    };
    const shown = answer.items.map(({ id, metadata, properties }) => ({
      id,
      method: properties?.method ?? '',
      url: pathOnly(properties?.url ?? ''),
      createdDate: metadata?.createdDate ?? '',
      createdBy: metadata?.createdBy ?? '',
      status: metadata?.requestStatus?.metadata?.status ?? '',
    }));
    const { next_offset: next } = answer;
    return { count: shown.length, items: shown, ...(next !== undefined && { next_offset: next }) };
  };
}

interface ListedItem {
  id: string;
  metadata?: { createdDate?: string; createdBy?: string; requestStatus?: { metadata?: { status?: string } } };
  properties?: { method?: string; url?: string };
}

const pathOnly = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');
