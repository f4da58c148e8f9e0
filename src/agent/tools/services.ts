// Tools of the other services that are one GET each.
import type { ServiceName } from '../client/addresses.ts';
import type { Group, Tool } from '../tool.ts';
import { type ReadRow, readTool } from './read-tool.ts';

type Row = [name: string, path: string, description: string, columns?: string[]];

const rowsOf = (group: Group, service: ServiceName, ...rows: Row[]): Tool[] =>
  rows.map(([name, path, description, columns]) => {
    const row: ReadRow = { name, group, service, path, description };
    return readTool(columns ? { ...row, isList: true, columns } : row);
  });

export const serviceTools: readonly Tool[] = [
  ...rowsOf(
    'objectstorage',
    'objectstorage',
    ['list_object_storage_regions', '/regions', 'List the regions of object storage, with their endpoints.', []],
    ['get_object_storage_region', '/regions/{region}', 'Show one region of object storage.'],
  ),
  ...rowsOf(
    'monitoring',
    'monitoring',
    ['get_central_monitoring', '/central', "Show whether the platform's own products push their metrics, by region."],
    ['list_alert_rules', '/alerting/rules', 'List the simple alert rules with their states.', []],
    ['list_alert_channels', '/alerting/channels', 'List the channels of alerts, without secrets.', ['name', 'type']],
    [
      'get_pipeline_rules',
      '/pipelines/{pipeline_id}/api/v1/rules',
      'List all rules of a metric pipeline, with states.',
    ],
    [
      'get_pipeline_alerts',
      '/pipelines/{pipeline_id}/api/v1/alerts',
      'List the pending and firing alerts of a metric pipeline.',
    ],
  ),
  ...rowsOf('logging', 'logging', [
    'get_central_logging',
    '/central',
    "Show whether the platform's own products write their logs, by region.",
  ]),
  ...rowsOf('inference', 'inference', [
    'list_inference_models',
    '/models',
    'List the AI models of the region.',
    ['name', 'type'],
  ]),
  ...rowsOf('identity', 'auth', [
    'list_tokens',
    '/tokens',
    'List the tokens of the caller: ids and dates, not the tokens.',
  ]),
];
