// The blocks of public access. Some clients request JSON here, and could not read AWS's XML.
import type { Reply } from '../../../surface/http/exchange.ts';
import { xmlReply } from '../../service/reply.ts';
import { readPublicAccessBlock } from '../../wire/xml/bucket-documents.ts';
import { configuration } from './configuration.ts';

export const publicAccessBlock = configuration({
  name: 'PublicAccessBlock',
  query: 'publicAccessBlock',
  property: 'publicAccessBlock',
  actions: { get: 's3:GetBucketPublicAccessBlock', put: 's3:PutBucketPublicAccessBlock' },
  missing: 'NoSuchPublicAccessBlockConfiguration',
  read: readPublicAccessBlock,
  reply(block, { header }): Reply {
    const content = {
      BlockPublicAcls: block.blockPublicAcls,
      IgnorePublicAcls: block.ignorePublicAcls,
      BlockPublicPolicy: block.blockPublicPolicy,
      RestrictPublicBuckets: block.restrictPublicBuckets,
    };
    return header('accept')?.includes('application/json')
      ? { status: 200, body: JSON.stringify(content) }
      : xmlReply('PublicAccessBlockConfiguration', content);
  },
});
