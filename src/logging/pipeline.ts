// The log pipeline: up to five streams, the addresses that agents send lines to, and their shared key. The key is
// returned once. It is stored as a hash and sealed, because the handshake of the forward protocol computes with it.
import type { Values } from '../base/json.ts';
import type { Seal } from '../base/seal.ts';
import { regional } from '../core/dialect.ts';
import { type Resource, resource, type StateWords, step, type Task } from '../core/resource.ts';
import { text } from '../core/schema.ts';
import {
  type AddressNames,
  dashboardAddress,
  type FixedAddresses,
  fixedAddresses,
  httpAddress,
  type Owned,
  ownedBy,
  pipelineHost,
} from '../surface/pipelines/addresses.ts';
import {
  type PipelineFacts,
  type PipelineKind,
  type PipelineSecrets,
  secretsOf,
} from '../surface/pipelines/key-check.ts';
import { hashOf, keyClaim, newKey } from '../surface/pipelines/keys.ts';
import { numberClaim } from '../surface/pipelines/numbers.ts';
import { completeStreams, type LogStream, logsProperty, mostStreams, streamRules, streamsOf } from './streams.ts';
import type { LoggingTools } from './tools.ts';

export const privilege = 'accessAndManageLogging';
export const scope = 'log'; // of its claims
export const stateWords: Partial<StateWords> = { name: 'state', message: 'message', ready: 'Ready' };
export const addressNames: AddressNames = { service: 'logging', what: 'logs' };

export const pipeline = resource<LoggingTools>({
  name: 'logpipeline',
  plural: 'pipelines',
  shown: { title: 'Log pipeline', stateWords, type: 'pipeline', columns: ['name', 'status'] },
  root: 'logging/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'replace', 'change', 'remove'],
  rights: { create: privilege },
  actions: 'logging.pipeline',
  lifecycle: {
    pace: 0, // clients poll it every few seconds, so a short wait saves nothing
    create: [step('provision')],
    remove: [step('drop', drop)],
  },
  properties: {
    name: text({
      required: true,
      min: 1,
      max: 20,
      pattern: /\S/,
      says: 'Expected at least one character other than blanks.',
      example: 'example',
    }),
    logs: { ...logsProperty, description: `The streams: one to ${mostStreams}` },
    tcpAddress: text({ derived: true, description: 'Host and port of the forward protocol over TLS' }),
    httpAddress: text({ derived: true, description: 'The base URL: agents post records to /<tag> below it' }),
    grafanaAddress: text({ derived: true }),
    status: text({ derived: true, description: 'PROVISIONING, then Ready' }),
    key: text({ derived: true, description: 'The shared key: returned only at the creation' }),
  },
  sample: { change: { name: 'changed' } },
  rules: streamRules,
  async decide(draft, { tools }) {
    if (draft.way === 'remove') return;
    draft.values.logs = completeStreams(draft.values, draft.previous);
    if (draft.way !== 'create') return;
    const key = newKey();
    const sha256 = hashOf(key);
    const number = await tools.numbers.next();
    const fixed = addressesOf(tools, number, ownedBy(draft));
    draft.hidden.pipeline = { number, sha256, ...keptOf(tools.seal, key), ...fixed } satisfies LogSecrets as Values;
    draft.reservations.claims.push(numberClaim(scope, number), keyClaim(scope, sha256));
    draft.reservations.counts.logPipelines = 1;
    draft.once = { key };
  },
  derive(row, values, { tools: { addresses, forward } }) {
    const { number, tcp, ...fixed } = secretsOf<LogSecrets>(row);
    const takesTcp = (values().logs as unknown as LogStream[]).some(({ protocol }) => protocol === 'tcp');
    const { host, port } = forward();
    return {
      ...(takesTcp && { tcpAddress: tcp ?? `${host}:${port}` }),
      httpAddress: httpAddress(addressNames, addresses, number, fixed),
      grafanaAddress: dashboardAddress(addressNames, addresses, ownedBy(row), fixed),
    };
  },
});

interface LogSecrets extends PipelineSecrets, FixedAddresses {
  sealed: string; // the key
  tcp?: string;
}

export interface LogPipeline extends PipelineFacts {
  number: number; // part of the address for agents
  streams: LogStream[];
  sealedKey: string;
}

export const logPipelines: PipelineKind<LogPipeline> = {
  resource: pipeline as Resource,
  scope,
  factsOf: (row) => ({
    id: row.id,
    ...ownedBy(row),
    streams: streamsOf(JSON.parse(row.body) as Values),
    sealedKey: secretsOf<LogSecrets>(row).sealed,
    number: secretsOf<LogSecrets>(row).number,
  }),
};

// The stored form of the key in addition to its hash.
export const keptOf = (seal: Seal, key: string): { sealed: string } => ({ sealed: seal.close(key) });

function addressesOf(tools: LoggingTools, number: number, owned: Owned): Partial<LogSecrets> {
  const { addresses, forward, forwardHost } = tools;
  const fixed = fixedAddresses(addressNames, addresses, number, owned);
  const { publicUrl, domain } = addresses;
  if (fixed.http === undefined && forwardHost === undefined) return {};
  const ownHost = domain ? pipelineHost(addressNames, number, owned, domain) : new URL(publicUrl ?? 'x:').hostname;
  return { ...fixed, tcp: `${forwardHost ?? ownHost}:${forward().port}` };
}

async function drop({ path, context }: Task<LoggingTools>): Promise<void> {
  await context.tools.logs.drop(path.slice(path.lastIndexOf('/') + 1));
}
