// One configuration of a bucket: a property of its row, with the operations that get, put and delete it.
import type { Reply } from '../../../surface/http/exchange.ts';
import type { Bucket, StoredBucket } from '../../metadata/bucket.ts';
import { type Operation, operation } from '../../service/operation.ts';
import { emptyReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import type { S3Code } from '../../wire/error-codes.ts';

type Property = Exclude<keyof Bucket, 'id' | 'ownership' | 'region'>;
type Value<P extends Property> = NonNullable<Bucket[P]>;

export interface Configuration<P extends Property> {
  name: string; // of S3's operations, without the verb: BucketCors
  query: string;
  property: P;
  actions: { get: string; put: string; delete?: string }; // a deletion needs the right of put unless it has its own
  missing: S3Code;
  putStatus?: 204; // otherwise 200
  isOfOwner?: true; // callers of other contracts may not, whatever the policy says
  read(document: Buffer, request: S3Request): Value<P> | Promise<Value<P>>;
  check?(value: Value<P>, bucket: StoredBucket): void; // throws if the bucket can't have this configuration
  reply(value: Value<P>, request: S3Request): Reply;
}

type Changeable<P extends Property> = Omit<Configuration<P>, 'missing' | 'reply'>;

export function getConfiguration<P extends Property>(facts: Configuration<P>): Operation {
  const { name, query, property, actions, missing, reply } = facts;
  return operation({
    name: `Get${name}`,
    method: 'GET',
    target: 'bucket',
    query,
    action: actions.get,
    async call(request) {
      demandOwner(facts, request);
      const value = request.bucket[property];
      if (value === undefined) throw s3Fault(missing);
      return reply(value as Value<P>, request);
    },
  });
}

export function putConfiguration<P extends Property>(facts: Changeable<P>): Operation {
  const { name, query, property, actions, putStatus = 200, read, check } = facts;
  return operation({
    name: `Put${name}`,
    method: 'PUT',
    target: 'bucket',
    query,
    action: actions.put,
    async call(request) {
      demandOwner(facts, request);
      const value = await read(await request.document(), request);
      await request.tools.buckets.update(request.bucketName, (bucket) => {
        check?.(value, bucket);
        return { [property]: value };
      });
      return emptyReply(putStatus);
    },
  });
}

export function deleteConfiguration<P extends Property>(facts: Changeable<P>): Operation {
  const { name, query, property, actions } = facts;
  return operation({
    name: `Delete${name}`,
    method: 'DELETE',
    target: 'bucket',
    query,
    action: actions.delete ?? actions.put,
    async call(request) {
      demandOwner(facts, request);
      await request.tools.buckets.update(request.bucketName, () => ({ [property]: undefined }));
      return emptyReply(204);
    },
  });
}

export const configuration = <P extends Property>(facts: Configuration<P>): Operation[] => [
  getConfiguration(facts),
  putConfiguration(facts),
  deleteConfiguration(facts),
];

function demandOwner({ isOfOwner }: { isOfOwner?: true }, { caller, bucket }: S3Request): void {
  if (isOfOwner && caller?.contract !== bucket.contract) throw s3Fault('MethodNotAllowed');
}
