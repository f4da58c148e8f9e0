// Every API and its handler. An API that is missing here is not reported to clients either: a test compares the two
// lists.
import * as acl from '../wire/messages/acl.ts';
import * as cluster from '../wire/messages/cluster.ts';
import * as config from '../wire/messages/config.ts';
import * as group from '../wire/messages/group.ts';
import * as groupAdmin from '../wire/messages/group-admin.ts';
import * as offsets from '../wire/messages/offsets.ts';
import * as records from '../wire/messages/records.ts';
import * as topic from '../wire/messages/topic.ts';
import * as transaction from '../wire/messages/transaction.ts';
import { handleCreateAcls, handleDeleteAcls, handleDescribeAcls } from './acls.ts';
import { handleHeartbeat, handleJoinGroup, handleLeaveGroup, handleSyncGroup } from './classic-group.ts';
import {
  handleApiVersions,
  handleDescribeCluster,
  handleDescribeQuorum,
  handleFindCoordinator,
  handleInitProducerId,
} from './cluster.ts';
import {
  handleAlterConfigs,
  handleDescribeConfigs,
  handleIncrementalAlterConfigs,
  handleListClientMetricsResources,
} from './configs.ts';
import { handleConsumerGroupDescribe, handleConsumerGroupHeartbeat } from './consumer-group.ts';
import { handleFetch } from './fetch.ts';
import { handleDeleteGroups, handleDescribeGroups, handleListGroups } from './group-admin.ts';
import { type Route, route } from './handler.ts';
import { handleAlterPartitionReassignments, handleElectLeaders, handleListPartitionReassignments } from './leaders.ts';
import { handleDeleteRecords, handleListOffsets, handleOffsetForLeaderEpoch } from './list-offsets.ts';
import { handleDescribeLogDirs } from './log-dirs.ts';
import { handleDescribeTopicPartitions, handleMetadata } from './metadata.ts';
import { handleOffsetCommit, handleOffsetDelete, handleOffsetFetch } from './offsets.ts';
import { handleProduce } from './produce.ts';
import { handleAlterClientQuotas, handleDescribeClientQuotas } from './quotas.ts';
import { handleCreatePartitions, handleCreateTopics, handleDeleteTopics } from './topics.ts';
import {
  handleAddOffsetsToTxn,
  handleAddPartitionsToTxn,
  handleDescribeProducers,
  handleDescribeTransactions,
  handleEndTxn,
  handleListTransactions,
  handleTxnOffsetCommit,
  handleWriteTxnMarkers,
} from './transactions.ts';

const all: Route[] = [
  route(records.produce, handleProduce),
  route(records.fetch, handleFetch),
  route(records.listOffsets, handleListOffsets),
  route(records.deleteRecords, handleDeleteRecords),
  route(records.offsetForLeaderEpoch, handleOffsetForLeaderEpoch),
  route(cluster.metadata, handleMetadata),
  route(cluster.apiVersions, handleApiVersions),
  route(cluster.describeCluster, handleDescribeCluster),
  route(cluster.describeQuorum, handleDescribeQuorum),
  route(cluster.describeTopicPartitions, handleDescribeTopicPartitions),
  route(cluster.describeLogDirs, handleDescribeLogDirs),
  route(group.findCoordinator, handleFindCoordinator),
  route(group.joinGroup, handleJoinGroup),
  route(group.syncGroup, handleSyncGroup),
  route(group.heartbeat, handleHeartbeat),
  route(group.leaveGroup, handleLeaveGroup),
  route(offsets.offsetCommit, handleOffsetCommit),
  route(offsets.offsetFetch, handleOffsetFetch),
  route(offsets.offsetDelete, handleOffsetDelete),
  route(groupAdmin.describeGroups, handleDescribeGroups),
  route(groupAdmin.listGroups, handleListGroups),
  route(groupAdmin.deleteGroups, handleDeleteGroups),
  route(groupAdmin.consumerGroupHeartbeat, handleConsumerGroupHeartbeat),
  route(groupAdmin.consumerGroupDescribe, handleConsumerGroupDescribe),
  route(transaction.initProducerId, handleInitProducerId),
  route(transaction.addPartitionsToTxn, handleAddPartitionsToTxn),
  route(transaction.addOffsetsToTxn, handleAddOffsetsToTxn),
  route(transaction.endTxn, handleEndTxn),
  route(transaction.txnOffsetCommit, handleTxnOffsetCommit),
  route(transaction.writeTxnMarkers, handleWriteTxnMarkers),
  route(transaction.describeProducers, handleDescribeProducers),
  route(transaction.describeTransactions, handleDescribeTransactions),
  route(transaction.listTransactions, handleListTransactions),
  route(topic.createTopics, handleCreateTopics),
  route(topic.deleteTopics, handleDeleteTopics),
  route(topic.createPartitions, handleCreatePartitions),
  route(topic.electLeaders, handleElectLeaders),
  route(topic.alterPartitionReassignments, handleAlterPartitionReassignments),
  route(topic.listPartitionReassignments, handleListPartitionReassignments),
  route(config.describeConfigs, handleDescribeConfigs),
  route(config.alterConfigs, handleAlterConfigs),
  route(config.incrementalAlterConfigs, handleIncrementalAlterConfigs),
  route(config.listClientMetricsResources, handleListClientMetricsResources),
  route(config.describeClientQuotas, handleDescribeClientQuotas),
  route(config.alterClientQuotas, handleAlterClientQuotas),
  route(acl.describeAcls, handleDescribeAcls),
  route(acl.createAcls, handleCreateAcls),
  route(acl.deleteAcls, handleDeleteAcls),
];

export const routes: ReadonlyMap<number, Route> = new Map(all.map((one) => [one.api.key, one]));
