// MCP resources: documents that a client can attach to a conversation. They are the inventory of each datacenter and
// the mapping of the billing data to FOCUS.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { datacenters, inventoryOf, quote } from '../insight/inventory.ts';
import { escapeInvisible, resultText } from '../result.ts';
import type { ToolContext } from '../tool.ts';
import { focusMapping } from '../tools/focus-mapping.ts';

const focus = 'ionos://billing/focus-v1.3';
const inventory = /^ionos:\/\/datacenters\/([^/?#]+)\/inventory$/;

export const resourceTemplates = [
  {
    uriTemplate: 'ionos://datacenters/{datacenter_id}/inventory',
    name: 'datacenter-inventory',
    title: "A datacenter's inventory",
    description: 'A summary of a datacenter: servers with volumes and NICs, LANs, balancers, gateways.',
    mimeType: 'application/json',
  },
];

export async function listResources(context: ToolContext) {
  const fixed = {
    uri: focus,
    name: 'billing-focus',
    title: 'Billing data in terms of FOCUS 1.3',
    mimeType: 'text/markdown',
  };
  return [fixed, ...(await inventories(context))];
}

// Names come from users, so they are quoted.
async function inventories(context: ToolContext) {
  const all = await datacenters(context).catch((error: unknown) => {
    throw error instanceof Failure ? new ProtocolError(ProtocolErrorCode.InternalError, error.message) : error;
  });
  return all.map(({ id, name }) => ({
    uri: `ionos://datacenters/${encodeURIComponent(id)}/inventory`,
    name: `datacenter-${id}`,
    description: `Inventory of the datacenter named ${quoted(name)}`,
    mimeType: 'application/json',
  }));
}

const quoted = (name: string): string => escapeInvisible(quote(name));

export async function readResource(uri: string, context: ToolContext) {
  if (uri === focus) return { uri, mimeType: 'text/markdown', text: focusMapping };
  const [, id] = inventory.exec(uri) ?? [];
  if (id === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource ${quoted(uri)} does not exist.`);
  try {
    pathOf('/{datacenter_id}', { datacenter_id: decodeURIComponent(id) });
    const answer = await inventoryOf(context, decodeURIComponent(id));
    return { uri, mimeType: 'application/json', text: resultText(answer) };
  } catch (error) {
    const isClientError = error instanceof Failure || error instanceof URIError;
    if (isClientError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw error;
  }
}
