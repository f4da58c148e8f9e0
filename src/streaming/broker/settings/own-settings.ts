// Fixed values of our brokers that differ from the defaults of Apache Kafka.
import type { Configs } from '../topic/topic-config.ts';
import { groupTimes } from './group-settings.ts';

export interface OwnFacts {
  nodeId: number;
  host: string;
  port: number;
  advertised: { host: string; port: number };
  flushMs: number; // 0: before each acknowledgement
  mostConnections: number;
  mostMembers: number;
  initialRebalanceDelayMs: number;
  mostFetchBytes: number;
}

export const ownSettings = (facts: OwnFacts): Configs => ({
  'advertised.listeners': `SSL://${facts.advertised.host}:${facts.advertised.port}`,
  'auto.create.topics.enable': 'false',
  'background.threads': '1',
  'broker.id': String(facts.nodeId),
  'fetch.max.bytes': String(facts.mostFetchBytes),
  'group.consumer.heartbeat.interval.ms': String(groupTimes.heartbeatMs),
  'group.consumer.max.size': String(facts.mostMembers),
  'group.consumer.min.heartbeat.interval.ms': String(groupTimes.leastHeartbeatMs),
  'group.initial.rebalance.delay.ms': String(facts.initialRebalanceDelayMs),
  'group.max.size': String(facts.mostMembers),
  'listener.security.protocol.map': 'SSL:SSL',
  listeners: `SSL://${facts.host}:${facts.port}`,
  'log.dirs': 'data',
  'log.flush.scheduler.interval.ms': String(facts.flushMs),
  'log.retention.check.interval.ms': '10000',
  'max.connections': String(facts.mostConnections),
  'node.id': String(facts.nodeId),
  'num.io.threads': '1',
  'num.network.threads': '1',
  'num.recovery.threads.per.data.dir': '1',
  'offsets.retention.check.interval.ms': '60000',
  'process.roles': 'broker,controller',
  'security.inter.broker.protocol': 'SSL',
  'ssl.client.auth': 'required',
  'ssl.endpoint.identification.algorithm': '',
  'ssl.keystore.type': 'PEM',
  'ssl.truststore.type': 'PEM',
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': '1000',
});
