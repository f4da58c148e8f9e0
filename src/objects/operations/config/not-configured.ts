// Unsupported parts of S3 that clients read when they inspect a bucket: reading one returns that it is not configured.
// Setting one is answered with NotImplemented.
import { type Operation, operation } from '../../service/operation.ts';
import { emptyReply, xmlReply } from '../../service/reply.ts';
import { s3Fault } from '../../wire/error.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';

const empty = (name: string, query: string, action: string, root: string, content: XmlContent = {}): Operation =>
  operation({ name, method: 'GET', target: 'bucket', query, action, call: async () => xmlReply(root, content) });

export const notConfigured = [
  empty('GetBucketLogging', 'logging', 's3:GetBucketLogging', 'BucketLoggingStatus'),
  empty('GetBucketNotification', 'notification', 's3:GetBucketNotification', 'NotificationConfiguration'),
  empty('GetBucketAccelerate', 'accelerate', 's3:GetAccelerateConfiguration', 'AccelerateConfiguration'),
  empty('GetBucketRequestPayment', 'requestPayment', 's3:GetBucketRequestPayment', 'RequestPaymentConfiguration', {
    Payer: 'BucketOwner',
  }),
  operation({
    name: 'GetBucketReplication',
    method: 'GET',
    target: 'bucket',
    query: 'replication',
    action: 's3:GetReplicationConfiguration',
    async call() {
      throw s3Fault('ReplicationConfigurationNotFoundError');
    },
  }),
  operation({
    name: 'DeleteBucketReplication',
    method: 'DELETE',
    target: 'bucket',
    query: 'replication',
    action: 's3:PutReplicationConfiguration',
    call: async () => emptyReply(204),
  }),
];
