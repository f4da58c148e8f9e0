// The definition of an S3 operation; each has its own file. It is selected by method, by the target of the path, and by
// a query parameter.
import type { Reply } from '../../surface/http/exchange.ts';
import type { OperationFacts, S3Request } from './request.ts';

export interface Operation extends OperationFacts {
  call(request: S3Request): Promise<Reply>;
}

export const operation = (declared: Operation): Operation => declared;
