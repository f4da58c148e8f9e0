// The tab Uploads of a bucket: multipart uploads that were neither completed nor aborted. Their parts use storage.
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/text.tsx';
import { useChanges } from '../../live.ts';
import type { BucketTabProps } from '../bucket-tab.ts';
import { countText, visible } from '../keys.ts';
import { listUploads, type UploadEntry } from '../s3/listing.ts';
import { abortUpload } from '../s3/objects.ts';
import { s3Path } from '../s3/s3.ts';

export function UploadsTab({ bucket }: BucketTabProps) {
  const list = useResource((signal) => listUploads({ bucket, prefix: '', signal }));
  useChanges([s3Path({ bucket })], () => void list.reload());
  const end = (uploads: readonly UploadEntry[]): void =>
    confirm({
      title: `Abort ${countText(uploads.length, 'upload')}?`,
      text: 'The uploaded parts are deleted. Clients that still upload get an error.',
      action: 'Abort',
      async act() {
        for (const { key, uploadId } of uploads) await abortUpload(bucket, key, uploadId);
      },
      onDone: () => void list.reload(),
    });
  return (
    <Loaded resource={list} what="the unfinished uploads">
      {({ items, next }) =>
        items.length === 0 ? (
          <Empty text="There are no unfinished uploads. A lifecycle rule can abort abandoned ones." />
        ) : (
          <>
            <div class="bar">
              <p>{`${countText(items.length, 'upload')}${next === undefined ? '' : ', the first of more'}`}</p>
              <Button text="Abort all" look="plain" onPress={() => end(items)} />
            </div>
            <Table
              caption="Unfinished uploads"
              rows={items}
              keyOf={({ uploadId }) => uploadId}
              columns={[
                { title: 'Object', cell: ({ key }) => <span class="ob-key">{visible(key)}</span> },
                { title: 'Started', cell: ({ started }) => <Time iso={started} /> },
                {
                  title: 'Actions',
                  look: 'buttons',
                  cell: (one) => (
                    <Button text="Abort" look="plain" label={`Abort upload of ${one.key}`} onPress={() => end([one])} />
                  ),
                },
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}
