// DNS tools beyond the declared resources.
import { id, input, type Tool } from '../tool.ts';
import { resolvedPath } from './named-ids.ts';
import { type ReadRow, readTool } from './read-tool.ts';

type Row = Pick<ReadRow, 'name' | 'path' | 'description' | 'isList' | 'columns'>;

const recordColumns = ['name', 'type', 'content', 'ttl', 'enabled'];

const rows: readonly Row[] = [
  {
    name: 'list_dns_records',
    path: '/records',
    description: 'List the records of all DNS zones.',
    isList: true,
    columns: recordColumns,
  },
  {
    name: 'list_dns_secondary_zone_records',
    path: '/secondaryzones/{secondary_zone_id}/records',
    description: 'List the records that a secondary zone has transferred.',
    isList: true,
    columns: recordColumns,
  },
  {
    name: 'get_dns_secondary_zone_axfr',
    path: '/secondaryzones/{secondary_zone_id}/axfr',
    description: 'Show the state of the transfers of a secondary zone, by primary server.',
  },
  {
    name: 'list_dns_zone_dnssec_keys',
    path: '/zones/{zone_id}/keys',
    description: 'Show the DNSSEC keys of a zone, with the DS record for its parent.',
  },
  {
    name: 'get_dns_quota',
    path: '/quota',
    description: 'Show the limits of zones and records, and their usage.',
  },
];

export const dnsTools: readonly Tool[] = [
  ...rows.map((row) => readTool({ ...row, group: 'dns', service: 'dns' })),
  {
    name: 'get_dns_zone_file',
    group: 'dns',
    description: 'Show a DNS zone as a zone file in the standard text format.',
    input: input({ zone_id: id("The zone's id or name") }),
    read: async (args, { api }) => api.text('dns', await resolvedPath(api, 'dns', '/zones/{zone_id}/zonefile', args)),
  },
];
