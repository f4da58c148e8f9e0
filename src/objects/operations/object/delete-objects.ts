// DeleteObjects: deletes many objects, each with its own result.
import { Fault } from '../../../base/fault.ts';
import { operation } from '../../service/operation.ts';
import { xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { codeOf } from '../../wire/error.ts';
import type { DeleteRequest } from '../../wire/xml/object-documents.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';
import { type DeleteConditions, removeObject } from './delete-object.ts';

type ObjectToDelete = DeleteRequest['objects'][number];

interface Result {
  deleted?: XmlContent;
  error?: XmlContent;
}

export const deleteObjects = operation({
  name: 'DeleteObjects',
  method: 'POST',
  target: 'bucket',
  query: 'delete',
  action: 's3:DeleteObject',
  bodyDecides: true,
  isData: true,
  async call(request) {
    const { isQuiet, objects } = await request.tools.documents.read(
      'deletes',
      await request.document(),
      request.bucket.contract,
    );
    const results = new Map<ObjectToDelete, Result>();
    // Versions of one key are removed one after the other; keys do not wait for each other, so that they share commits.
    const removals: Promise<void>[] = [];
    for (const same of Map.groupBy(objects, ({ key }) => key).values()) {
      const removing = removeInTurn(request, same, results);
      removing.catch(() => undefined); // awaited below
      removals.push(removing);
      await new Promise(setImmediate); // each evaluates the policy: other requests run in between
    }
    await Promise.all(removals);
    const inOrder = objects.map((one) => results.get(one) as Result);
    return xmlReply('DeleteResult', {
      Deleted: isQuiet ? [] : inOrder.flatMap(({ deleted }) => deleted ?? []),
      Error: inOrder.flatMap(({ error }) => error ?? []),
    });
  },
});

async function removeInTurn(
  request: S3Request,
  same: readonly ObjectToDelete[],
  results: Map<ObjectToDelete, Result>,
): Promise<void> {
  for (const one of same) results.set(one, await removeOne(request, one));
}

async function removeOne(request: S3Request, target: ObjectToDelete): Promise<Result> {
  const { key, versionId, etag, size, lastModified } = target;
  const conditions: DeleteConditions = { etag, size, lastModified };
  try {
    const removed = await removeObject(request, key, versionId, conditions);
    const marker = removed.isMarker && { DeleteMarker: true, DeleteMarkerVersionId: removed.versionId };
    return { deleted: { Key: key, VersionId: versionId, ...marker } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { error: { Key: key, VersionId: versionId, Code: codeOf(error), Message: error.message } };
  }
}
