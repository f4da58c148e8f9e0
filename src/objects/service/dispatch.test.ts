// Every operation that the AWS SDK knows is found as itself or refused. If an unsupported call for a part of an object
// were mistaken for another operation, it could replace or remove the object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { Fault } from '../../base/fault.ts';
import { parseTarget } from '../../core/s3-signature/percent-encoding.ts';
import { operations } from '../operations/operations.ts';
import { createDispatch } from './dispatch.ts';

interface KnownOperation {
  name: string;
  method: string;
  uri: string; // `/{Key+}?tagging`
}

// From the SDK's schemas: [9, namespace, name, { http: [method, uri, status] }, …].
const known = Object.values(aws).flatMap((schema: unknown): KnownOperation[] => {
  if (!Array.isArray(schema) || schema[0] !== 9) return [];
  const [, , name, { http }] = schema as [number, string, string, { http: [string, string, number] }];
  return [{ name, method: http[0], uri: http[1] }];
});

const ofUploads = ['AbortMultipartUpload', 'CompleteMultipartUpload', 'ListParts', 'UploadPart', 'UploadPartCopy'];
const copies = ['CopyObject', 'UploadPartCopy'];
// Operations with separate hosts.
const otherHosts = ['ListDirectoryBuckets', 'WriteGetObjectResponse'];

// Some names of the SDK end with it, and some of ours.
const plain = (name: string): string => name.replace(/Configuration$/, '');

test('[OBJ-01] every operation of S3 is dispatched correctly or refused', () => {
  const find = createDispatch(operations);
  assert.ok(known.length > 100, `${known.length}`);
  const refused: string[] = [];
  for (const { name, method, uri } of known) {
    if (otherHosts.includes(name)) continue;
    const target = uri.startsWith('/{Key+}') ? 'object' : name === 'ListBuckets' ? 'service' : 'bucket';
    const query = [...parseTarget(uri).query, ...(ofUploads.includes(name) ? [['uploadId', 'x'] as const] : [])];
    try {
      const found = find({ method, target, query, isCopy: copies.includes(name) });
      assert.equal(plain(found.name), plain(name));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      assert.equal(error.detail.code, 'NotImplemented', name);
      refused.push(name);
    }
  }
  assert.ok(refused.includes('DeleteObjectAnnotation') && refused.includes('RenameObject'));
});
