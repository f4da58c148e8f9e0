// Runs the contract suite of streaming engines on Apache Kafka, which starts its nodes six times: only in a full run.
import { test } from 'node:test';
import { streamingContract } from '../../src/testing/black-box/streaming.ts';
import { isFull } from '../../src/testing/seed.ts';
import { apacheKafka } from '../clients/streaming/programs.ts';

const kafka = isFull ? await apacheKafka() : { skip: 'only in a full run (--full)' };

if ('path' in kafka && kafka.path) {
  streamingContract('Apache Kafka', `kafka+jvm:${kafka.path}`);
  streamingContract('a list of brokers of Apache Kafka', `kafka+jvm:${kafka.path}`, { isOutside: true });
} else test('Apache Kafka as engine', { skip: kafka.skip });
