// All APIs that the broker answers, by key.
import type { Api } from './api.ts';
import * as acl from './messages/acl.ts';
import * as cluster from './messages/cluster.ts';
import * as config from './messages/config.ts';
import * as group from './messages/group.ts';
import * as groupAdmin from './messages/group-admin.ts';
import * as offsets from './messages/offsets.ts';
import * as records from './messages/records.ts';
import * as topic from './messages/topic.ts';
import * as transaction from './messages/transaction.ts';

const messages = { ...records, ...cluster, ...group, ...offsets, ...groupAdmin };
const others = { ...transaction, ...topic, ...config, ...acl };

export const apis: ReadonlyMap<number, Api<never, never>> = new Map(
  [...Object.values(messages), ...Object.values(others)].map((api) => [api.key, api as Api<never, never>]),
);
