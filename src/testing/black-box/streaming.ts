// The contract of engines, for tests with Apache Kafka, and what the console's own routes answer.
export { describeCluster, openEngine, operateClusters } from '../../streaming/engine/contract/bench.ts';
export { streamingContract } from '../../streaming/engine/contract/contract.ts';
export type { Message, MessagePage, Produced, TopicInspection } from '../../streaming/engine/inspection.ts';
