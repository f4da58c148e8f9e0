// MCP resources: documents that a client can attach to a conversation. The inventory of each datacenter, and how the
// billing data maps to FOCUS.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { datacenters, inventoryOf, quote } from '../insight/inventory.ts';
import { escapeInvisible, resultText } from '../result.ts';
import type { Sight } from '../tool.ts';
import { focusMapping } from '../tools/focus-mapping.ts';

const focus = 'ionos://billing/focus-v1.3';
const inventory = /^ionos:\/\/datacenters\/([^/?#]+)\/inventory$/;

export const resourceTemplates = [
  {
    uriTemplate: 'ionos://datacenters/{datacenter_id}/inventory',
    name: 'datacenter-inventory',
    title: "A datacenter's inventory",
    description: 'Everything in a datacenter, in short: servers with volumes and NICs, LANs, balancers, gateways.',
    mimeType: 'application/json',
  },
];

export async function listResources(sight: Sight) {
  const fixed = {
    uri: focus,
    name: 'billing-focus',
    title: 'Billing data in terms of FOCUS 1.3',
    mimeType: 'text/markdown',
  };
  return [fixed, ...(await inventories(sight))];
}

// Names are those that users gave, so they stand in quotes.
async function inventories(sight: Sight) {
  const all = await datacenters(sight).catch((error: unknown) => {
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

export async function readResource(uri: string, sight: Sight) {
  if (uri === focus) return { uri, mimeType: 'text/markdown', text: focusMapping };
  const [, id] = inventory.exec(uri) ?? [];
  if (id === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource ${quoted(uri)}.`);
  try {
    pathOf('/{datacenter_id}', { datacenter_id: decodeURIComponent(id) });
    const told = await inventoryOf(sight, decodeURIComponent(id));
    return { uri, mimeType: 'application/json', text: resultText(told) };
  } catch (error) {
    const isTold = error instanceof Failure || error instanceof URIError;
    if (isTold) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw error;
  }
}
