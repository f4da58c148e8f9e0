// Three brokers of Apache Kafka in KRaft mode, each with the controller in it, which trust an authority of the test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { jarsOf } from '../../../src/testing/black-box/apache-kafka.ts';
import { createAuthority, issueCertificate } from '../../../src/testing/black-box/certificates.ts';
import { freePort } from '../../../src/testing/free-port.ts';
import { limits } from '../../../src/testing/limits.ts';
import { find } from '../../clients/install.ts';
import { mustRun } from '../../clients/run.ts';
import { Server } from './server.ts';

export interface Kafka {
  address: string; // for --streaming
  brokers: Server[];
}

interface Ports {
  client: number;
  controller: number;
}

const ids = [1, 2, 3];
const clusterId = Buffer.from('cumulet-outside!').toString('base64url');
const now = (): number => Date.now();

export async function startKafka(installation: string, folder: string): Promise<Kafka> {
  mkdirSync(folder, { recursive: true });
  const [ca, key] = [join(folder, 'ca.pem'), join(folder, 'ca-key.pem')];
  const authority = await createAuthority({ commonName: 'brokers of the test', days: 30, now });
  const request = {
    commonName: 'broker',
    hosts: ['127.0.0.1', 'localhost'],
    days: 30,
    now,
    server: true,
    client: true,
  };
  const broker = await issueCertificate(authority, request);
  writeFileSync(ca, authority.certificate);
  writeFileSync(key, authority.key);
  writeFileSync(join(folder, 'broker.pem'), `${broker.key}\n${broker.certificate}`);
  const ports: Ports[] = [];
  for (const _ of ids) ports.push({ client: await freePort(), controller: await freePort() });
  const brokers = ids.map((id) => brokerOf(installation, folder, id, ports));
  for (const id of ids) await format(installation, folder, id);
  await Promise.all(brokers.map((one) => one.start()));
  const hosts = ports.map(({ client }) => `127.0.0.1:${client}`);
  return { address: `kafka://${hosts.join(',')}?ca=${ca}&ca-key=${key}`, brokers };
}

const java = (installation: string): string[] => [
  find('CUMULET_JAVA', 'java').path ?? 'java',
  ...['-Xmx200m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Djava.awt.headless=true'],
  ...['-cp', join(jarsOf(installation), '*')],
];

const settingsFile = (folder: string, id: number): string => join(folder, `broker-${id}.properties`);

function brokerOf(installation: string, folder: string, id: number, ports: readonly Ports[]): Server {
  const own = ports[id - 1] as Ports;
  const settings = settingsOf(folder, id, ports).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(settingsFile(folder, id), settings.join(''));
  return new Server({
    name: `broker ${id}`,
    folder: join(folder, `data-${id}`),
    command: [...java(installation), 'kafka.Kafka', settingsFile(folder, id)],
    isReady: () => isListening(own.client),
  });
}

function settingsOf(folder: string, id: number, ports: readonly Ports[]): [name: string, value: string | number][] {
  const own = ports[id - 1] as Ports;
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': ports.map(({ controller }, at) => `${at + 1}@127.0.0.1:${controller}`).join(','),
    listeners: `CLIENT://127.0.0.1:${own.client},CONTROLLER://127.0.0.1:${own.controller}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${own.client}`,
    'listener.security.protocol.map': 'CLIENT:SSL,CONTROLLER:SSL',
    'inter.broker.listener.name': 'CLIENT',
    'controller.listener.names': 'CONTROLLER',
    'ssl.client.auth': 'required',
    'ssl.endpoint.identification.algorithm': '',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': join(folder, 'broker.pem'),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': join(folder, 'ca.pem'),
    'log.dirs': join(folder, `data-${id}`),
    'auto.create.topics.enable': 'false',
    'default.replication.factor': 3,
    'min.insync.replicas': 2,
    'offsets.topic.replication.factor': 3,
    'offsets.topic.num.partitions': 3,
    'transaction.state.log.replication.factor': 3,
    'transaction.state.log.min.isr': 2,
    'transaction.state.log.num.partitions': 3,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
    'group.initial.rebalance.delay.ms': 100,
    'broker.session.timeout.ms': 4000, // the others lead the partitions of a dead broker after this time
    'broker.heartbeat.interval.ms': 1000,
  });
}

const format = async (installation: string, folder: string, id: number): Promise<void> => {
  const words = ['kafka.tools.StorageTool', 'format', '--cluster-id', clusterId, '--config', settingsFile(folder, id)];
  await mustRun([...java(installation), ...words], { limitMs: limits.client });
};

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
