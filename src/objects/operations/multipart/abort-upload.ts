// AbortMultipartUpload: removes the upload and all its parts.
import { operation } from '../../service/operation.ts';
import { emptyReply } from '../../service/reply.ts';

export const abortUpload = operation({
  name: 'AbortMultipartUpload',
  method: 'DELETE',
  target: 'object',
  query: 'uploadId',
  action: 's3:AbortMultipartUpload',
  isData: true,
  async call(request) {
    const { bucket, key, tools } = request;
    await tools.uploads.abort(bucket.name, key, request.parameter('uploadId') ?? '');
    return emptyReply(204);
  },
});
