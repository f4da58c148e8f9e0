// The contract of engines and the installation of Apache Kafka, for tests with its programs.
export { installKafka, jarsOf, kafkaVersion } from '../../streaming/engine/apache/install.ts';
export { describeCluster, openEngine } from '../../streaming/engine/contract/bench.ts';
export { streamingContract } from '../../streaming/engine/contract/contract.ts';
export type { Message, MessagePage, TopicInspection } from '../../streaming/engine/inspection.ts';
