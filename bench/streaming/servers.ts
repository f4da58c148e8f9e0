// The two sides: a cluster of a region on the embedded broker, and one node of Apache Kafka with its own default
// settings. Both are reached over mutual TLS only, and both are on the servers' core.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineTime } from '../../src/base/clock.ts';
import { createCertificates, issueUserCertificate } from '../../src/streaming/access/certificates.ts';
import { KafkaClient } from '../../src/streaming/engine/apache/client/client.ts';
import { createTopic } from '../../src/streaming/engine/apache/client/topics.ts';
import { jarsOf } from '../../src/streaming/engine/apache/install.ts';
import { freePorts } from '../../src/streaming/engine/apache/jvm/free-ports.ts';
import { type Place, placeOf } from '../../test/clients/streaming/journey.ts';
import { apacheKafka } from '../../test/clients/streaming/programs.ts';
import { end, pause, start } from '../harness/children.ts';
import { Skipped } from '../harness/figure.ts';
import { startRegion } from '../harness/region.ts';

export interface Server {
  place: Place;
  pid: number;
  startedMs: number; // until a topic could be created
  topic(partitions: number): Promise<string>; // a new one
  stop(): Promise<void>;
}

const limitMs = 300_000;
const javaOptions = ['-Xms512m', '-Xmx512m']; // of Kafka's own script it is 1 GB; its default compilers

export async function openOurs(folder: string): Promise<Server> {
  const region = await startRegion({ data: join(folder, 'ours') });
  try {
    const began = performance.now();
    const body = { properties: { name: 'bench', version: '4.0.0', size: 'S' } };
    const made = await region.expect(202, { method: 'POST', path: '/streaming/clusters', body });
    const path = `/streaming/clusters/${(JSON.parse(made.body) as { id: string }).id}`;
    let cluster = { metadata: { state: '', brokerAddresses: [] as string[] } };
    while (cluster.metadata.state !== 'AVAILABLE')
      cluster = JSON.parse((await region.expect(200, { path })).body) as typeof cluster;
    const startedMs = performance.now() - began;
    const users = await region.expect(200, { path: `${path}/users` });
    const user = (JSON.parse(users.body) as { items: { id: string }[] }).items[0]?.id;
    const access = await region.expect(200, { path: `${path}/users/${user}/access` });
    const { certificateAuthority, certificate, privateKey } = (
      JSON.parse(access.body) as { metadata: Record<'certificateAuthority' | 'certificate' | 'privateKey', string> }
    ).metadata;
    const credentials = {
      addresses: cluster.metadata.brokerAddresses,
      authority: certificateAuthority,
      certificate,
      key: privateKey,
    };
    return server(join(folder, 'ours-client'), credentials, { pid: region.pid, startedMs, stop: region.stop });
  } catch (error) {
    await region.stop();
    throw error;
  }
}

export async function openKafka(folder: string): Promise<Server> {
  const kafka = await apacheKafka();
  if (!kafka.path) throw new Skipped(kafka.skip);
  const began = performance.now();
  const certificates = await createCertificates('bench', ['127.0.0.1'], machineTime);
  const user = await issueUserCertificate(certificates.authority, 'admin', machineTime);
  const [port = 0, controller = 0] = await freePorts(2);
  const own = join(folder, 'kafka');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'broker.pem'), `${certificates.brokers.key}\n${certificates.brokers.certificate}`);
  writeFileSync(join(own, 'authority.pem'), certificates.authority.certificate);
  writeFileSync(join(own, 'server.properties'), propertiesOf(own, port, controller));
  writeFileSync(join(own, 'log4j2.properties'), 'rootLogger.level = OFF\n');
  const java = ['-cp', join(jarsOf(kafka.path), '*'), `-Dlog4j2.configurationFile=${join(own, 'log4j2.properties')}`];
  const properties = join(own, 'server.properties');
  const format = ['kafka.tools.StorageTool', 'format', '-t', 'AAAAAAAAQACAAAAAAAAAAA', '-c', properties];
  execFileSync('java', [...java, ...format], { stdio: 'ignore' });
  const child = start('server', 'java', [...javaOptions, ...java, 'kafka.Kafka', properties], { stdio: 'ignore' });
  const credentials = {
    addresses: [`127.0.0.1:${port}`],
    authority: certificates.authority.certificate,
    ...user,
  };
  const stop = (): Promise<void> => end(child);
  const opened = await server(join(folder, 'kafka-client'), credentials, { pid: pidOf(child), startedMs: 0, stop });
  return { ...opened, startedMs: performance.now() - began };
}

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('java was not started');
  return pid;
};

// The least that one node with mutual TLS needs; all else is as Kafka has it.
const propertiesOf = (folder: string, port: number, controller: number): string =>
  `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=SSL://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=SSL://127.0.0.1:${port}
listener.security.protocol.map=SSL:SSL,CONTROLLER:SSL
inter.broker.listener.name=SSL
controller.listener.names=CONTROLLER
ssl.client.auth=required
ssl.endpoint.identification.algorithm=
ssl.keystore.type=PEM
ssl.keystore.location=${join(folder, 'broker.pem')}
ssl.truststore.type=PEM
ssl.truststore.location=${join(folder, 'authority.pem')}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.dirs=${join(folder, 'data')}
`;

async function server(
  folder: string,
  credentials: Parameters<typeof placeOf>[2],
  { pid, startedMs, stop }: { pid: number; startedMs: number; stop(): Promise<void> },
): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const place = placeOf(folder, 'bench', credentials, limitMs);
  const addresses = credentials.addresses.map((one) => {
    const [host = '', port = ''] = one.split(':');
    return { host, port: Number(port) };
  });
  const client = new KafkaClient(addresses, credentials);
  let topics = 0;
  const topic = async (partitions: number): Promise<string> => {
    const name = `bench-${topics++}`;
    await createTopic(client, { name, partitions, replicationFactor: 1 });
    return name;
  };
  const until = performance.now() + limitMs;
  for (let isUp = false; !isUp && performance.now() < until; ) {
    isUp = await topic(1).then(
      () => true,
      () => false,
    );
    if (!isUp) await pause(100);
  }
  return {
    place,
    pid,
    startedMs,
    topic,
    async stop() {
      await client.close();
      await stop();
    },
  };
}
