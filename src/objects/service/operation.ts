// An S3 operation: one file each. It is selected by method, by what the path names, and by a parameter of the query.
import type { Reply } from '../../surface/http/exchange.ts';
import type { OperationFacts, S3Request } from './request.ts';

export interface Operation extends OperationFacts {
  call(request: S3Request): Promise<Reply>;
}

export const operation = (declared: Operation): Operation => declared;
