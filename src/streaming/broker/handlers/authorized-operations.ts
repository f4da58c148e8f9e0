// The operations that a client may use, one bit each. A certificate of the cluster grants everything, so these are the
// operations that Apache Kafka knows for each kind of resource.
const codes = {
  read: 3,
  write: 4,
  create: 5,
  delete: 6,
  alter: 7,
  describe: 8,
  clusterAction: 9,
  describeConfigs: 10,
  alterConfigs: 11,
  idempotentWrite: 12,
};

const maskOf = (...names: (keyof typeof codes)[]): number => names.reduce((mask, name) => mask | (1 << codes[name]), 0);

export const notComputed = -2_147_483_648; // the client did not request it

export const operations = {
  cluster: maskOf('create', 'clusterAction', 'describeConfigs', 'alterConfigs', 'idempotentWrite', 'alter', 'describe'),
  topic: maskOf('read', 'write', 'create', 'delete', 'alter', 'describe', 'describeConfigs', 'alterConfigs'),
  group: maskOf('read', 'delete', 'describe', 'describeConfigs', 'alterConfigs'),
};
