// Checks the replicas that a client assigns itself, with the messages of Apache Kafka.
import type { Nodes } from '../nodes.ts';
import { ProtocolError } from '../wire/errors.ts';

export function checkReplicas(replicas: readonly number[], nodes: Nodes, factor?: number): void {
  const refuse = (problem: string): never => {
    throw new ProtocolError('INVALID_REPLICA_ASSIGNMENT', `The manual partition assignment includes ${problem}`);
  };
  if (replicas.length === 0) refuse('an empty replica list.');
  const seen = new Set<number>();
  for (const id of replicas.toSorted((a, b) => a - b)) {
    if (!nodes.find(id)) refuse(`broker ${id}, but no such broker is registered.`);
    if (seen.has(id)) refuse(`the broker ${id} more than once.`);
    seen.add(id);
  }
  if (factor !== undefined && factor !== replicas.length)
    refuse(
      `a partition with ${replicas.length} replica(s), but this is not consistent with previous partitions, ` +
        `which have ${factor} replica(s).`,
    );
  if (!replicas.some((id) => nodes.find(id)?.isServing))
    refuse('only brokers that are fenced or in controlled shutdown.');
}
