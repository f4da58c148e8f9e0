// The files of one cluster: a folder for each node with its settings, its log and its data.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrokerSpec, brokerName, type ClusterSpec } from '../../engine.ts';
import { jarsOf, jvmOptionsOf, metricsAgent } from '../install.ts';

// Ports on 127.0.0.1 in addition to the one for clients.
export interface NodePorts {
  internal: number; // for the other brokers and for our own administration
  controller: number;
  metrics: number;
}

// How Java is started.
export interface Installation {
  java: string;
  installation: string; // the folder of the jars
  folder: string; // of the cluster
}

export const nodeFolder = (folder: string, id: number): string => join(folder, `node-${id}`);
export const logFile = (folder: string, id: number): string => join(nodeFolder(folder, id), 'server.log');
export const outputFile = (folder: string, id: number): string => join(nodeFolder(folder, id), 'output.log');
export const handleFile = (folder: string, id: number): string => join(nodeFolder(folder, id), 'process.json');
const propertiesFile = (folder: string, id: number): string => join(nodeFolder(folder, id), 'server.properties');

export function writeNodeFiles(folder: string, spec: ClusterSpec, ports: readonly NodePorts[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { certificate, authority } = spec;
  writeFileSync(join(folder, 'broker.pem'), `${certificate.key}\n${certificate.certificate}`, { mode: 0o600 });
  writeFileSync(join(folder, 'authority.pem'), authority);
  writeFileSync(join(folder, 'metrics.yaml'), metricsRules);
  for (const [at, broker] of spec.brokers.entries()) {
    const own = nodeFolder(folder, broker.id);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'log4j2.properties'), logSettings(logFile(folder, broker.id)));
    const properties = propertiesOf(folder, spec, broker, ports, at);
    const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(propertiesFile(folder, broker.id), lines.join(''), { mode: 0o600 });
  }
}

function propertiesOf(
  folder: string,
  { brokers }: ClusterSpec,
  broker: BrokerSpec,
  ports: readonly NodePorts[],
  at: number,
): Record<string, string | number | boolean> {
  const { internal, controller } = ports[at] as NodePorts;
  const { host, port, advertised } = broker;
  const voters = brokers.map(({ id }, index) => `${id}@127.0.0.1:${ports[index]?.controller}`);
  const copies = Math.min(3, brokers.length);
  return {
    'process.roles': 'broker,controller',
    'node.id': broker.id,
    'controller.quorum.voters': voters.join(','),
    listeners: `CLIENT://${host}:${port},INTERNAL://127.0.0.1:${internal},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `CLIENT://${advertised.host}:${advertised.port},INTERNAL://127.0.0.1:${internal}`,
    'listener.security.protocol.map': 'CLIENT:SSL,INTERNAL:SSL,CONTROLLER:SSL',
    'inter.broker.listener.name': 'INTERNAL',
    'controller.listener.names': 'CONTROLLER',
    'ssl.client.auth': 'required',
    'ssl.endpoint.identification.algorithm': '',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': join(folder, 'broker.pem'),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': join(folder, 'authority.pem'),
    // A user is the common name of the certificate. Every certificate of the cluster grants all rights until an
    // administrator creates ACLs.
    'ssl.principal.mapping.rules': 'RULE:^.*?CN=([^,]+).*$/$1/,DEFAULT',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:${brokerName}`,
    'allow.everyone.if.no.acl.found': true,
    'log.dirs': join(nodeFolder(folder, broker.id), 'data'),
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': Math.min(2, copies),
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': Math.min(2, copies),
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': Math.min(2, copies),
    ...small,
  };
}

// Sized for three brokers on a shared machine. A lost node is noticed after six seconds.
const small = {
  'offsets.topic.num.partitions': 6,
  'transaction.state.log.num.partitions': 6,
  'num.network.threads': 2,
  'num.io.threads': 4,
  'background.threads': 2,
  'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
  'group.initial.rebalance.delay.ms': 100,
  'group.consumer.heartbeat.interval.ms': 1000,
  'group.consumer.min.heartbeat.interval.ms': 1000,
  'broker.session.timeout.ms': 6000,
  'broker.heartbeat.interval.ms': 1000,
};

export const classPathOf = (installation: string): string => join(jarsOf(installation), '*');

export const serverCommand = (
  { java, installation, folder }: Installation,
  id: number,
  { metrics }: NodePorts,
): string[] => [
  java,
  ...jvmOptionsOf(installation),
  '-XX:+ExitOnOutOfMemoryError',
  '-Djava.awt.headless=true',
  `-Dlog4j2.configurationFile=${join(nodeFolder(folder, id), 'log4j2.properties')}`,
  `-javaagent:${join(jarsOf(installation), metricsAgent)}=127.0.0.1:${metrics}:${join(folder, 'metrics.yaml')}`,
  '-cp',
  classPathOf(installation),
  ...serverWords(folder, id),
];

// The end of the process's command line, which identifies it: only this node uses the file.
export const serverWords = (folder: string, id: number): string[] => ['kafka.Kafka', propertiesFile(folder, id)];

// Runs in a separate JVM and writes the first records of the cluster's metadata. A formatted folder stays unchanged.
export const formatCommand = (
  { java, installation, folder }: Installation,
  id: number,
  clusterId: string,
): string[] => [
  java,
  '-XX:TieredStopAtLevel=1',
  '-Xmx128m',
  '-cp',
  classPathOf(installation),
  'kafka.tools.StorageTool',
  'format',
  '--ignore-formatted',
  '--cluster-id',
  clusterId,
  '--config',
  propertiesFile(folder, id),
];

// Kafka's encoding of a UUID.
export const clusterIdOf = (uuid: string): string => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');

const logSettings = (file: string): string => `rootLogger.level = INFO
rootLogger.appenderRef.file.ref = file
logger.network.name = org.apache.kafka.clients.NetworkClient
logger.network.level = ERROR
logger.state.name = state.change.logger
logger.state.level = WARN
logger.metadata.name = org.apache.kafka.controller
logger.metadata.level = WARN
logger.loader.name = org.apache.kafka.image
logger.loader.level = WARN
logger.config.name = org.apache.kafka.common.config.AbstractConfig
logger.config.level = WARN
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = ${file}
appender.file.filePattern = ${file}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %p %c{1} %enc{%m}{CRLF}%n
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 5MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 1
`;

// Only the metrics that we use: there are thousands of others.
const metricsRules = `lowercaseOutputName: true
includeObjectNames:
  - "kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec"
  - "kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec"
  - "kafka.network:type=RequestMetrics,name=RequestsPerSec,*"
  - "kafka.server:type=socket-server-metrics,*"
rules:
  - pattern: "kafka.server<type=BrokerTopicMetrics, name=BytesInPerSec><>Count"
    name: bytes_in
  - pattern: "kafka.server<type=BrokerTopicMetrics, name=BytesOutPerSec><>Count"
    name: bytes_out
  - pattern: "kafka.network<type=RequestMetrics, name=RequestsPerSec, request=(.+), version=(.+)><>Count"
    name: requests
    labels: { request: "$1", version: "$2" }
  - pattern: "kafka.server<type=socket-server-metrics, listener=CLIENT, networkProcessor=(.+)><>connection-count"
    name: connections
    labels: { processor: "$1" }
  - pattern: "kafka.server<type=socket-server-metrics, listener=CLIENT, networkProcessor=(.+)><>failed-authentication-total"
    name: refused
    labels: { processor: "$1" }
`;
