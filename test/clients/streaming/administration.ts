// The expected results of Apache Kafka's client for administration, for groups that change their protocol, and for
// transactions across a restart of the brokers. Administration and Migration are the same with Apache Kafka's brokers.
export const administrationExpected = {
  assigned: [
    [2, 1],
    [3, 2],
    [1, 3],
  ],
  leaders: [2, 3, 1],
  refusedAssignments: ['InvalidReplicaAssignment'],
  reassigned: [3, 1],
  reassignments: 0,
  cancelled: 'NoReassignmentInProgress',
  elections: ['ElectionNotNeededException', 'UnknownTopicOrPartitionException'],
  missingSettings: [],
  otherDefaults: [],
  setForAll: 'done',
  inherited: '12345678',
  source: 'DYNAMIC_DEFAULT_BROKER_CONFIG',
  setForOne: 'done',
  ofOne: '23456789',
  refusedSettings: [...Array<string>(6).fill('InvalidRequest'), 'InvalidConfiguration'],
  reset: '604800000',
  groupSettings: [
    'consumer.heartbeat.interval.ms',
    'consumer.session.timeout.ms',
    'share.auto.offset.reset',
    'share.heartbeat.interval.ms',
    'share.record.lock.duration.ms',
    'share.session.timeout.ms',
  ],
  groupSet: 'done',
  groupValue: '50000',
  groupSource: 'DYNAMIC_GROUP_CONFIG',
  refusedForGroup: ['InvalidConfiguration', 'InvalidConfiguration', 'InvalidRequest'],
  metricsSet: 'done',
  metrics: ['administration-metrics'],
  refusedMetrics: 'InvalidConfiguration',
  metricsAfter: 0,
  isOpen: true,
  aborted: 'done',
  isOpenAfter: false,
  operations: [
    'ALTER',
    'ALTER_CONFIGS',
    'CLUSTER_ACTION',
    'CREATE',
    'DESCRIBE',
    'DESCRIBE_CONFIGS',
    'IDEMPOTENT_WRITE',
  ],
  features: { 'group.version': 1, 'metadata.version': 25, 'transaction.version': 2 },
  voters: [1, 2, 3],
  hasLeader: true,
};

// One classic member; one of each protocol; the classic one alone again; at last only one of the new protocol.
const migrated = {
  steps: [
    ['CLASSIC', 6],
    ['CONSUMER', 3, 3],
    ['classic', 'consumer'],
    ['CLASSIC', 6],
    ['CONSUMER', 6],
  ],
  read: 240,
  committed: 240,
};

export const migrationExpected = { eager: migrated, cooperative: migrated };

// Each of the three transactions of a group has a restart in the middle. The member does not have to join again, so its
// partition is assigned once.
const transferred = { commits: 3, failures: [], assignments: 1, offset: 30, isCopied: true };

export const restartExpected = { classic: transferred, consumer: transferred };
