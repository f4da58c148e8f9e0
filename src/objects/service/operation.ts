// An S3 operation: one file each. It is selected by method, by what the path names, and by a parameter of the query.
import type { Reply } from '../../surface/http/exchange.ts';
import type { S3Request } from './request.ts';

export interface Operation {
  name: string; // PutObject
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD' | 'OPTIONS';
  target: 'service' | 'bucket' | 'object';
  query?: string; // the parameter that selects it: `tagging`
  isCopy?: boolean; // selected by the header x-amz-copy-source
  action?: string; // s3:PutObject, asked of policies and grants; absent: `call` asks for what it needs
  isOpen?: boolean; // nobody is asked who they are, as for a preflight
  isData?: boolean; // about content: such calls come often, so they are audited once an hour
  call(request: S3Request): Promise<Reply>;
}

export const operation = (declared: Operation): Operation => declared;
