// A generator of uploads in parts, by the client that most programs use: four parts of 8 MB at a time.
import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Credentials } from '../../src/core/s3-signature/sign.ts';
import { type Generator, Measurement, type RequestReport, sendOrdersTo, takeOrders } from '../harness/orders.ts';

export interface Uploads {
  port: number;
  credentials: S3Credentials;
  bucket: string;
  bytes: number; // of an object
  count: number;
}

const partBytes = 8 * 1024 * 1024;

export const openUploader = (): Generator<Uploads, RequestReport> =>
  sendOrdersTo(import.meta.url, ({ bucket, port }) => `uploads to ${bucket} on port ${port}`);

async function perform({ port, credentials, bucket, bytes, count }: Uploads): Promise<RequestReport> {
  const { accessKey: accessKeyId, secretKey: secretAccessKey, region } = credentials;
  const endpoint = `http://127.0.0.1:${port}`;
  const s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  const Body = Buffer.alloc(bytes, 'content of an object ');
  const measured = new Measurement();
  for (let done = 0; done < count; done++) {
    const sentAt = performance.now();
    const params = { Bucket: bucket, Key: `upload-${done}`, Body };
    await new Upload({ client: s3, params, partSize: partBytes, queueSize: 4 }).done();
    measured.answered(sentAt, 200);
  }
  const report = measured.report();
  for (let done = 0; done < count; done++)
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: `upload-${done}` }));
  s3.destroy();
  return report;
}

if (import.meta.main) takeOrders(perform);
