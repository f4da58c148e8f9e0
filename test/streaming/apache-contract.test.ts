// The contract of streaming engines on Apache Kafka: it starts its nodes five times, so only in a long run.
import { test } from 'node:test';
import { isLong } from '../../src/testing/seed.ts';
import { apacheKafka } from '../clients/streaming/programs.ts';
import { streamingContract } from './contract.ts';

const kafka = isLong ? await apacheKafka() : { skip: 'only in a long run (CUMULET_LONG=1)' };

if ('path' in kafka && kafka.path) streamingContract('Apache Kafka', `kafka+jvm:${kafka.path}`);
else test('Apache Kafka as engine', { skip: kafka.skip });
