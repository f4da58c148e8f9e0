// A cluster of three brokers. All that is needed to start it again stands in its row: the addresses of its brokers, and
// sealed, its certificates with their keys.
import type { CertificatePair } from '../../base/certificate.ts';
import { Fault } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import { regionalByState } from '../../core/dialect.ts';
import { creationOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, resource, step, type Task } from '../../core/resource.ts';
import { list, shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { type ClusterCertificates, createCertificates, issueUserCertificate } from '../access/certificates.ts';
import type { BrokerSpec, ClusterHandle, ClusterSpec } from '../engine/engine.ts';
import type { StreamingTools } from '../tools.ts';
import { claimsOf, drawBrokers } from './broker-addresses.ts';
import { connectionRules } from './connections.ts';
import { sizes, storageBytesOf, storageGbOf, versions } from './sizes.ts';

export const privilege = 'manageDataplatform'; // the platform's list has none for streaming alone
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
  dialect: regionalByState,
  verbs: ['list', 'get', 'create', 'remove'],
  privilege,
  actions: 'streaming.cluster',
  pace: 0, // clients poll it every few seconds, so whoever waits at all waits long
  properties: {
    name: text({ ...nameForm, example: 'example' }),
    version: text({ oneOf: versions, default: versions[0], example: versions[0] }),
    size: text({ required: true, oneOf: sizes, example: 'S', description: 'How much its topics may store' }),
    connections: list(
      shape({
        datacenterId: text({ required: true, max: 36, omitNull: true }),
        lanId: text({ required: true, max: 10, omitNull: true }),
        brokerAddresses: list(text({ max: 64 }), { required: true, description: 'ip/prefix, one for each broker' }),
      }),
      {
        description:
          'The LAN that the brokers are in, kept as it was sent; brokers are reached at metadata.brokerAddresses. ' +
          'Without it, those are here too',
      },
    ),
  },
  columns: ['name', 'version', 'size'],
  create: [step('start', start, remove)],
  remove: [step('remove', remove, start)],
  rules: connectionRules,
  async decide(draft, context) {
    if (draft.way !== 'create') return;
    const { store, tools } = context;
    const isTaken = async (claim: string): Promise<boolean> => (await store.claimed(claim)) !== undefined;
    const { elsewhere } = tools.engine;
    const brokers = elsewhere ? brokersAt(elsewhere.addresses) : await drawBrokers(tools.addresses, isTaken);
    if (!elsewhere && brokers.length < 3) throw new Fault('refused', 'There are no three ports left for the brokers.');
    const hosts = [...new Set(brokers.flatMap(({ host, advertised }) => [host, advertised.host]))];
    const named = [...hosts.filter((host) => host !== '0.0.0.0'), 'localhost', '127.0.0.1'];
    const certificates = await createCertificates(draft.id, [...new Set(named)], tools.realNow, elsewhere?.authority);
    draft.values.connections ??= [{ brokerAddresses: addressesOf(brokers) }];
    draft.hidden.cluster = { brokers, sealed: tools.seal.close(JSON.stringify(certificates)) } as unknown as Values;
    draft.reservations.counts.streamingClusters = 1;
    if (!elsewhere) draft.reservations.claims.push(...claimsOf(brokers));
    draft.children.push(await userOf(draft, certificates.authority, context));
  },
  noted(row, _, { isServing }) {
    const { size } = JSON.parse(row.body) as { size: string };
    return {
      brokerAddresses: addressesOf(hiddenOf(row).brokers),
      storageGb: storageGbOf(size),
      ...(!isServing(row.id) && { state: 'BUSY' }),
    };
  },
  notedSchema: {
    brokerAddresses: { type: 'array', items: { type: 'string' }, description: 'Where clients reach the brokers' },
    storageGb: { type: 'integer', description: 'How much its topics may store: the oldest records make room' },
  },
  meter: ({ size }) => ({ [`size ${String(size)}`]: 1 }),
});

// The hidden part of a cluster's row.
interface HiddenCluster {
  brokers: BrokerSpec[];
  sealed: string; // ClusterCertificates
  handle?: ClusterHandle;
  isBroken?: boolean; // it was there, and its brokers can't be started any more; `failed` says why
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

const brokersAt = (addresses: readonly { host: string; port: number }[]): BrokerSpec[] =>
  addresses.map((address, index) => ({ id: index + 1, ...address, advertised: address }));

// Everybody who uses a cluster does so by one user, who may do everything with it.
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
