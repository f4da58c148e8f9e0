// All versions of one object, the newest first.
import { RowActions } from '../../components/button.tsx';
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Badge, Section, Time } from '../../components/text.tsx';
import { useChanges } from '../../live.ts';
import { objectUrl } from '../../urls.ts';
import { deleteEntries, restoreEntry } from '../browser/entry-actions.tsx';
import { sizeText } from '../keys.ts';
import { listVersions, type ObjectEntry } from '../s3/listing.ts';
import { s3Path } from '../s3/s3.ts';

export interface VersionsSectionProps {
  bucket: string;
  objectKey: string;
  reload(): void;
}

// Other keys may begin with this one, but are listed after it.
async function versionsOf(bucket: string, key: string, signal: AbortSignal): Promise<ObjectEntry[]> {
  const { items } = await listVersions({ bucket, prefix: key, isFlat: true, signal });
  return items.flatMap((one) => (one.kind === 'object' && one.key === key ? [one] : []));
}

// A bucket without versioning has one version of each object, without an id.
const isUnversioned = ([first, ...others]: readonly ObjectEntry[]): boolean =>
  others.length === 0 && first?.versionId === 'null';

export function VersionsSection({ bucket, objectKey, reload }: VersionsSectionProps) {
  const list = useResource((signal) => versionsOf(bucket, objectKey, signal));
  useChanges([s3Path({ bucket })], () => void list.reload());
  const changed = (): void => {
    reload();
    void list.reload();
  };
  const answer = list.answer.value;
  if (answer && 'value' in answer && isUnversioned(answer.value)) return null;
  return (
    <Section title="Versions">
      <Loaded resource={list} what="the versions">
        {(versions) => (
          <Table
            caption="Versions"
            rows={versions}
            keyOf={({ versionId }) => versionId ?? ''}
            columns={[
              {
                title: 'Version',
                look: 'code',
                cell: ({ versionId = '', isMarker }) =>
                  isMarker ? versionId : <a href={objectUrl(bucket, objectKey, versionId)}>{versionId}</a>,
              },
              {
                title: 'State',
                cell: ({ isLatest, isMarker }) => (
                  <>
                    {isLatest && <Badge look="good" text="Latest" />}
                    {isMarker && <Badge look="waits" text="Deleted" />}
                  </>
                ),
              },
              { title: 'Size', cell: ({ size, isMarker }) => (isMarker ? '' : sizeText(size)) },
              { title: 'Modified', cell: ({ modified }) => <Time iso={modified} /> },
              {
                title: 'Actions',
                look: 'buttons',
                cell: (version) => (
                  <RowActions
                    of={`version ${version.versionId}`}
                    actions={[
                      ...(version.isLatest !== (version.isMarker ?? false)
                        ? []
                        : [['Restore', () => restoreEntry(bucket, version, changed)] as const]),
                      ['Delete', () => deleteEntries(bucket, [version], true, changed)],
                    ]}
                  />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
