// A cluster of three brokers. Its row has everything needed to start it again: the addresses of its brokers, and its
// sealed certificates with their keys.
import type { CertificatePair } from '../../base/certificate.ts';
import type { Json, Values } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import { regional } from '../../core/dialect.ts';
import { creationOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, resource, step, type Task } from '../../core/resource.ts';
import { list, shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { type ClusterCertificates, createCertificates, issueUserCertificate } from '../access/certificates.ts';
import type { BrokerSpec, ClusterHandle, ClusterSpec } from '../engine/engine.ts';
import type { StreamingTools } from '../tools.ts';
import { connectionRules } from './connections.ts';
import { sizes, storageBytesOf, storageGbOf, versions } from './sizes.ts';
import { stateWords } from './state-words.ts';

export const privilege = 'manageDataplatform'; // the platform has no separate privilege for streaming
export const firstUser = 'admin';

export const nameForm = {
  required: true,
  min: 2,
  max: 63,
  pattern: /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/,
  says: 'Expected letters and digits, with dots, hyphens and underscores between them.',
} as const;

export const cluster = resource<StreamingTools>({
  name: 'cluster',
  plural: 'clusters',
  root: 'streaming/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'remove'],
  rights: { create: privilege },
  actions: 'streaming.cluster',
  lifecycle: {
    pace: 0, // clients poll it every few seconds, so a short wait saves nothing
    create: [step('start', start, remove)],
    remove: [step('remove', remove, start)],
  },
  properties: {
    name: text({ ...nameForm, example: 'example' }),
    version: text({ oneOf: versions, default: versions[0], example: versions[0] }),
    size: text({ required: true, oneOf: sizes, example: 'S', description: 'Sets how much the topics may store' }),
    connections: list(
      shape({
        datacenterId: text({ required: true, max: 36, omitNull: true }),
        lanId: text({ required: true, max: 10, omitNull: true }),
        brokerAddresses: list(text({ max: 64 }), {
          required: true,
          description: 'IP address with prefix, one for each broker',
        }),
      }),
      {
        description:
          'The LAN of the brokers, stored as sent. Clients reach the brokers at metadata.brokerAddresses. ' +
          'Without it, this field shows those addresses',
      },
    ),
  },
  shown: { stateWords, columns: ['name', 'version', 'size'] },
  rules: connectionRules,
  async decide(draft, context) {
    if (draft.way !== 'create') return;
    const { tools } = context;
    const { brokers, authority, claims } = await tools.assignment.choose(draft.caller.contract);
    const hosts = [...new Set(brokers.flatMap(({ host, advertised }) => [host, advertised.host]))];
    const named = [...hosts.filter((host) => host !== '0.0.0.0'), 'localhost', '127.0.0.1'];
    const certificates = await createCertificates(draft.id, [...new Set(named)], tools.realNow, authority);
    draft.values.connections ??= [{ brokerAddresses: addressesOf(brokers) }];
    draft.hidden.cluster = { brokers, sealed: tools.seal.close(JSON.stringify(certificates)) } as unknown as Values;
    draft.reservations.counts.streamingClusters = 1;
    draft.reservations.claims.push(...claims);
    draft.children.push(await userOf(draft, certificates.authority, context));
  },
  noted: {
    read(row, _, { isServing }) {
      const { size } = JSON.parse(row.body) as { size: string };
      return {
        brokerAddresses: addressesOf(hiddenOf(row).brokers),
        storageGb: storageGbOf(size),
        ...(!isServing(row.id) && { state: 'BUSY' }),
      };
    },
    schema: {
      brokerAddresses: {
        type: 'array',
        items: { type: 'string' },
        description: 'The addresses at which clients reach the brokers',
      },
      storageGb: {
        type: 'integer',
        description: 'How much the topics may store; beyond it the oldest records are deleted',
      },
    },
  },
  usage: { meter: ({ size }) => ({ [`size ${String(size)}`]: 1 }) },
});

// The hidden part of a cluster's row.
interface HiddenCluster {
  brokers: BrokerSpec[];
  sealed: string; // ClusterCertificates
  handle?: ClusterHandle;
  isBroken?: boolean; // its brokers ran and can't be started any more; `failed` has the reason
}

export const hiddenOf = ({ hidden }: Pick<Row, 'hidden'>): HiddenCluster =>
  (JSON.parse(hidden) as { cluster: HiddenCluster }).cluster;

export const certificatesOf = (row: Row, seal: Seal): ClusterCertificates =>
  JSON.parse(seal.open(hiddenOf(row).sealed)) as ClusterCertificates;

export function specOf(row: Row, seal: Seal): ClusterSpec {
  const { authority, brokers: certificate } = certificatesOf(row, seal);
  const { size } = JSON.parse(row.body) as { size: string };
  const { brokers } = hiddenOf(row);
  return {
    id: row.id,
    brokers,
    authority: authority.certificate,
    certificate,
    storageBytes: storageBytesOf(size),
  };
}

export const addressesOf = (brokers: readonly BrokerSpec[]): string[] =>
  brokers.map(({ advertised: { host, port } }) => `${host}:${port}`);

// Returns the user that all clients of a cluster share, with all rights on it.
async function userOf(
  draft: Draft,
  authority: CertificatePair,
  { tools, resource: find }: DecisionContext<StreamingTools>,
): Promise<Draft> {
  const user = creationOf(find('clusteruser'), draft.caller, [], { name: firstUser });
  const pair = await issueUserCertificate(authority, firstUser, tools.realNow);
  user.hidden.sealed = tools.seal.close(JSON.stringify(pair)) as Json;
  return user;
}

async function start({ contract, path, context }: Task<StreamingTools>): Promise<void> {
  await context.tools.jobs.perform({ verb: 'start', contract, path });
}

async function remove({ contract, path, context }: Task<StreamingTools>): Promise<void> {
  await context.tools.jobs.perform({ verb: 'remove', contract, path });
}
