// `streaming access`: writes the connection files of Kafka clients for a cluster.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { randomText } from '../../base/ids.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { type Get, regionApi } from '../../command/region-api.ts';
import { print, printJson } from '../../command/terminal.ts';
import { keyStore, trustStore } from './pkcs12.ts';

interface StreamingItem {
  id: string;
  metadata: Record<string, unknown>;
  properties: { name: string };
}

interface Access {
  cluster: string;
  user: string;
  brokers: string[];
  certificateAuthority: string;
  certificate: string;
  privateKey: string;
}

export const access: Command = {
  name: 'streaming access',
  operands: 'CLUSTER',
  mostOperands: 1,
  about:
    'Prints how Kafka clients connect to a cluster (by ID or name): the addresses of its brokers, its CA, ' +
    'and the certificate and key of a user. With --write, it writes files for clients: PEM, PKCS#12, and settings for ' +
    'kcat (librdkafka) and Java. The cluster must be AVAILABLE; --wait waits for that.',
  options: [
    { name: 'write', takes: 'DIR', help: 'write the files into this folder' },
    { name: 'wait', help: 'wait until the cluster is AVAILABLE, at most ten minutes' },
    { name: 'user', takes: 'NAME', help: 'the user (default: admin)' },
    { name: 'password', takes: 'TEXT', help: 'password of the PKCS#12 files (default: a random one)' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet streaming access orders --write orders --wait', 'files for clients, as soon as they can connect'],
    ['kcat -F orders/kcat.conf -L', 'use them with kcat'],
    ['kafka-topics.sh --bootstrap-server … --command-config orders/client.properties --list', 'use them with Java'],
  ],
  async run(input, host) {
    const [name] = input.operands;
    if (name === undefined) throw new Fault('refused', 'Name the cluster by its ID or name.');
    const get = await regionApi(host, input.data);
    const cluster = await available(get, await clusterOf(get, name), input.has('wait'));
    const found = await read(get, cluster, input.get('user') ?? 'admin');
    const folder = input.get('write');
    if (folder !== undefined) await write(found, resolve(folder), input);
    else if (input.has('json')) printJson(found);
    else
      print(
        [`brokers ${found.brokers.join(',')}`, found.certificateAuthority, found.certificate, found.privateKey].join(
          '\n',
        ),
      );
    return 0;
  },
};

async function clusterOf(get: Get, name: string): Promise<StreamingItem> {
  const { items } = await get<{ items: StreamingItem[] }>('/streaming/clusters?limit=1000');
  const named = items.filter(({ id, properties }) => id === name || properties.name === name);
  const [cluster] = named;
  const known = items.map(({ properties }) => properties.name).join(', ');
  if (!cluster) throw new Fault('refused', `Cluster ${name} does not exist.${known === '' ? '' : ` Known: ${known}.`}`);
  if (named.length > 1)
    throw new Fault('refused', `${named.length} clusters are called ${name}: ${named.map(({ id }) => id).join(', ')}.`);
  return cluster;
}

const pollMs = 500;
const polls = 1_200;

async function available(
  get: Get,
  { id, properties: { name } }: StreamingItem,
  waits: boolean,
): Promise<StreamingItem> {
  for (let polled = 1; ; polled++) {
    const cluster = await get<StreamingItem>(`/streaming/clusters/${id}`);
    const { state, message } = cluster.metadata;
    if (state === 'AVAILABLE') return cluster;
    const isComing = state !== 'FAILED' && state !== 'DESTROYING';
    if (!isComing) throw new Fault('refused', `Cluster ${name} is ${state}${message ? `: ${message}` : '.'}`);
    if (!waits)
      throw new Fault(
        'refused',
        `Cluster ${name} is ${state}: its brokers do not answer yet. Pass --wait to wait for them.`,
      );
    if (polled > polls) throw new Fault('refused', `Cluster ${name} is still ${state}.`);
    await wait(pollMs);
  }
}

async function read(get: Get, cluster: StreamingItem, user: string): Promise<Access> {
  const path = `/streaming/clusters/${cluster.id}/users`;
  const users = await get<{ items: StreamingItem[] }>(path);
  const found = users.items.find(({ properties }) => properties.name === user);
  if (!found) throw new Fault('refused', `Cluster ${cluster.properties.name} has no user ${user}.`);
  const { metadata } = await get<StreamingItem>(`${path}/${found.id}/access`);
  return {
    cluster: cluster.id,
    user,
    brokers: cluster.metadata.brokerAddresses as string[],
    certificateAuthority: String(metadata.certificateAuthority),
    certificate: String(metadata.certificate),
    privateKey: String(metadata.privateKey),
  };
}

async function write(found: Access, folder: string, input: Input): Promise<void> {
  const password = input.get('password') ?? randomText(18);
  if (password.length < 6)
    throw new Fault('refused', '--password needs at least 6 characters, because Java requires that.');
  const { user, certificateAuthority: authority, certificate, privateKey: key } = found;
  const at = (name: string): string => join(folder, name);
  const files: Record<string, string | Buffer> = {
    'ca.pem': authority,
    'cert.pem': certificate,
    'key.pem': key,
    'keystore.p12': await keyStore({ certificate, key }, [authority], user, password),
    'truststore.p12': await trustStore([authority], 'cluster', password),
    'kcat.conf': settingsText({
      'bootstrap.servers': found.brokers.join(','),
      'security.protocol': 'SSL',
      'ssl.ca.location': at('ca.pem'),
      'ssl.certificate.location': at('cert.pem'),
      'ssl.key.location': at('key.pem'),
    }),
    'client.properties': settingsText({
      'bootstrap.servers': found.brokers.join(','),
      'security.protocol': 'SSL',
      'ssl.truststore.type': 'PKCS12',
      'ssl.truststore.location': at('truststore.p12'),
      'ssl.truststore.password': password,
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.location': at('keystore.p12'),
      'ssl.keystore.password': password,
      'ssl.key.password': password,
    }),
  };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content, { mode: 0o600 });
  } catch (error) {
    throw new Fault('refused', `${folder} can't be written: ${fileError(error)}.`);
  }
  const result = { folder, brokers: found.brokers, files: Object.keys(files), password };
  if (input.has('json')) printJson(result);
  else print(`${Object.keys(files).map(at).join('\n')}\npassword of the .p12 files: ${password}`);
}

const settingsText = (settings: Readonly<Record<string, string>>): string =>
  `${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
