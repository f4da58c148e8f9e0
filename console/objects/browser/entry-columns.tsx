// The columns of a list of folders and objects.

import { IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import type { LongColumn } from '../../components/long-table.tsx';
import { Badge } from '../../components/text.tsx';
import type { Session } from '../../session.ts';
import { dateText } from '../../times.ts';
import { bucketUrl, objectUrl } from '../../urls.ts';
import { nameIn, sizeText, visible } from '../keys.ts';
import { openShare } from '../object/share-dialog.tsx';
import type { Entry, ObjectEntry } from '../s3/listing.ts';
import { deleteEntries, downloadEntries, restoreEntry } from './entry-actions.tsx';
import { followWithin } from './folder-path.tsx';

export interface EntryColumnsProps {
  bucket: string;
  prefix: string;
  isVersions: boolean;
  session: Session;
  onFolder(prefix: string): void;
  reload(): void;
}

const narrow = matchMedia('(max-width: 48rem)');

export function entryColumns(props: EntryColumnsProps): LongColumn<Entry>[] {
  const { isVersions } = props;
  const isNarrow = narrow.matches;
  return [
    {
      key: 'name',
      title: 'Name',
      least: isNarrow ? 8 : 12,
      share: 1,
      cell: (entry) => <Name entry={entry} {...props} />,
    },
    ...(isVersions ? [versionColumn] : []),
    {
      key: 'size',
      title: 'Size',
      least: 5.5,
      share: 0,
      cell: (entry) => (
        <span class="ob-number">{entry.kind === 'object' && !entry.isMarker && sizeText(entry.size)}</span>
      ),
    },
    // A narrow window omits these columns; the page of the object shows them.
    ...(isNarrow ? [] : [modifiedColumn, actionsColumn(props)]),
  ];
}

const actionsColumn = (props: EntryColumnsProps): LongColumn<Entry> => ({
  key: 'actions',
  title: 'Actions',
  least: props.isVersions ? 9.5 : 7.5,
  share: 0,
  cell: (entry) => (
    <span class="ob-actions">
      <EntryActions entry={entry} {...props} />
    </span>
  ),
});

const modifiedColumn: LongColumn<Entry> = {
  key: 'modified',
  title: 'Modified',
  least: 11.5,
  share: 0,
  cell: (entry) =>
    entry.kind === 'object' && (
      <time class="ob-quiet" dateTime={entry.modified}>
        {dateText(entry.modified)}
      </time>
    ),
};

const versionColumn: LongColumn<Entry> = {
  key: 'version',
  title: 'Version',
  least: 17,
  share: 0,
  cell: (entry) =>
    entry.kind === 'object' && (
      <>
        {entry.isLatest && <Badge look="good" text="Latest" />}
        {entry.isMarker && <Badge look="waits" text="Deleted" />} <code>{entry.versionId}</code>
      </>
    ),
};

// Opens the latest version, or in a list of versions the entry's version.
export const entryUrl = (bucket: string, { key, versionId }: ObjectEntry): string => objectUrl(bucket, key, versionId);

type CellProps = EntryColumnsProps & { entry: Entry };

function Name({ entry, bucket, prefix, onFolder }: CellProps) {
  const { kind, key } = entry;
  const text = visible(nameIn(prefix, key));
  if (kind === 'folder')
    return (
      <a
        class="ob-entry"
        title={visible(key)}
        href={bucketUrl(bucket, { prefix: key })}
        onClick={(event) => followWithin(event, () => onFolder(key))}
      >
        <Icon name="folder" />
        <bdi>{text}</bdi>
      </a>
    );
  return (
    <a class="ob-entry" title={visible(key)} href={entryUrl(bucket, entry)}>
      <Icon name="file" />
      <bdi>{text}</bdi>
    </a>
  );
}

function EntryActions({ entry, bucket, isVersions, session, prefix, reload }: CellProps) {
  const version = isVersions && entry.kind === 'object' ? `, version ${entry.versionId}` : '';
  const name = visible(nameIn(prefix, entry.key)) + version;
  const isContent = entry.kind === 'object' && !entry.isMarker;
  const isOld = entry.kind === 'object' && isVersions && (entry.isMarker ? entry.isLatest : !entry.isLatest);
  return (
    <>
      {isOld && (
        <IconButton icon="restore" label={`Restore ${name}`} onPress={() => restoreEntry(bucket, entry, reload)} />
      )}
      {isContent && (
        <>
          <IconButton icon="download" label={`Download ${name}`} onPress={() => downloadEntries(bucket, [entry])} />
          <IconButton
            icon="link"
            label={`Share ${name}`}
            onPress={() => openShare({ bucket, key: entry.key, versionId: entry.versionId }, session)}
          />
        </>
      )}
      <IconButton
        icon="trash"
        label={`Delete ${name}`}
        onPress={() => deleteEntries(bucket, [entry], isVersions, reload)}
      />
    </>
  );
}
