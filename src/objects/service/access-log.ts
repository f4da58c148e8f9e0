// Writes a line for each call to a bucket to central logging.
import type { LogSource, WriteLogLine } from '../../core/resource-logs.ts';
import type { S3Request } from './request.ts';

export class AccessLog implements LogSource {
  readonly tag = 'objects';
  readonly product = 'objects';
  readonly #now: () => number;
  #write: WriteLogLine | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(write: WriteLogLine): void {
    this.#write = write;
  }

  note(request: S3Request, status: number): void {
    if (!this.#write || !request.hasBucket) return;
    const { bucket, operation, x } = request;
    const line = JSON.stringify({
      bucket: bucket.name,
      key: operation.target === 'object' ? request.key : null,
      operation: operation.name,
      method: x.method,
      status,
      requester: x.caller?.email ?? null,
      address: x.address,
      bytes: request.bytesIn,
      agent: x.req.headers['user-agent'] ?? null,
    });
    this.#write({ contract: bucket.contract }, { timeMs: this.#now(), line, labels: { bucket: bucket.name } });
  }
}
