// The metric pipeline: an address and a key to push metrics to, and their retention. The key is returned once: only its
// hash is stored, so a lost key must be replaced.
import type { Values } from '../base/json.ts';
import { regional } from '../core/dialect.ts';
import { type Resource, resource, step, type Task } from '../core/resource.ts';
import { integer, text } from '../core/schema.ts';
import {
  dashboardAddress,
  type FixedAddresses,
  fixedAddresses,
  httpAddress,
  ownedBy,
} from '../surface/pipelines/addresses.ts';
import {
  type PipelineFacts,
  type PipelineKind,
  type PipelineSecrets,
  secretsOf,
} from '../surface/pipelines/key-check.ts';
import { hashOf, keyClaim, newKey } from '../surface/pipelines/keys.ts';
import { numberClaim } from '../surface/pipelines/numbers.ts';
import { addressNames, scope } from './names.ts';
import type { MonitoringTools } from './tools.ts';

export const privilege = 'accessAndManageMonitoring';
export const defaultRetentionDays = 30;

export const pipeline = resource<MonitoringTools>({
  name: 'metricpipeline',
  plural: 'pipelines',
  shown: { title: 'Metric pipeline', type: 'pipeline', columns: ['name', 'retentionInDays', 'status'] },
  root: 'monitoring/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  rights: { create: privilege },
  actions: 'monitoring.pipeline',
  lifecycle: {
    pace: 0, // clients poll it every few seconds, so a short wait saves nothing
    create: [step('provision')],
    remove: [step('drop', drop)],
  },
  properties: {
    name: text({
      required: true,
      min: 1,
      pattern: /\S/,
      says: 'Expected at least one character other than blanks.',
      example: 'example',
    }),
    // No default in the schema, because a PUT of a client that does not know the property must not change it.
    retentionInDays: integer({
      min: 1,
      max: 365,
      description: `The retention in days; without it, the current value stays (initially ${defaultRetentionDays})`,
    }),
    status: text({ derived: true, description: 'The same as metadata.status' }),
  },
  async decide(draft, { tools }) {
    if (draft.way === 'remove') return;
    draft.values.retentionInDays ??= draft.previous.retentionInDays ?? defaultRetentionDays;
    if (draft.way !== 'create') return;
    const key = newKey();
    const sha256 = hashOf(key);
    const number = await tools.numbers.next();
    const fixed = fixedAddresses(addressNames, tools.addresses, number, ownedBy(draft));
    draft.hidden.pipeline = { number, sha256, ...fixed } satisfies MetricSecrets as Values;
    draft.reservations.claims.push(numberClaim(scope, number), keyClaim(scope, sha256));
    draft.reservations.counts.metricPipelines = 1;
    draft.once = { key };
  },
  noted: {
    read(row, _store, { addresses }) {
      const { number, ...fixed } = secretsOf<MetricSecrets>(row);
      return {
        grafanaEndpoint: dashboardAddress(addressNames, addresses, ownedBy(row), fixed),
        httpEndpoint: httpAddress(addressNames, addresses, number, fixed),
      };
    },
    schema: {
      key: { type: 'string', description: 'Returned only at the creation' },
      grafanaEndpoint: { type: 'string' },
      httpEndpoint: { type: 'string', description: 'The base URL: agents push metrics to /api/v1/push below it' },
    },
  },
});

type MetricSecrets = PipelineSecrets & FixedAddresses;

export interface MetricPipeline extends PipelineFacts {
  retentionInDays: number;
}

export const metricPipelines: PipelineKind<MetricPipeline> = {
  resource: pipeline as Resource,
  scope,
  factsOf: (row) => ({
    id: row.id,
    ...ownedBy(row),
    retentionInDays: (JSON.parse(row.body) as { retentionInDays: number }).retentionInDays,
  }),
};

async function drop({ path, context }: Task<MonitoringTools>): Promise<void> {
  await context.tools.metrics.drop(path.slice(path.lastIndexOf('/') + 1));
}
