// The tab Objects of a bucket: browse, upload, select and delete folders and objects, or all versions.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { LongTable } from '../../components/long-table.tsx';
import { HeadActions } from '../../components/page/page-head.tsx';
import { Empty, Failure } from '../../components/states.tsx';
import { useChanges } from '../../live.ts';
import { uploadTo } from '../../resources/client-commands/page-commands.ts';
import { go } from '../../router.ts';
import type { BucketTabProps } from '../bucket-tab.ts';
import { countText, nameIn, visible } from '../keys.ts';
import { listObjects, listVersions } from '../s3/listing.ts';
import { s3Path } from '../s3/s3.ts';
import { pickedFiles } from '../transfer/dropped-files.ts';
import { transfers } from '../transfer/transfers.ts';
import { DropZone } from './drop-zone.tsx';
import { deleteEntries, downloadEntries, openNewFolder, uploadInto } from './entry-actions.tsx';
import { entryColumns, entryUrl } from './entry-columns.tsx';
import { EntryList, idOf } from './entry-list.ts';
import { FolderPath } from './folder-path.tsx';

export function ObjectsTab({ bucket, query, session }: BucketTabProps) {
  const values = query.values.value;
  const prefix = values.get('prefix') ?? '';
  const beginning = useSignal('');
  const isVersions = values.get('versions') === '1';
  const list = useMemo(() => new EntryList(listObjects), []);
  const reload = (): void => void list.refresh();
  useLayoutEffect(() => {
    void list.open({ bucket, prefix: prefix + beginning.value }, isVersions ? listVersions : listObjects);
  }, [prefix, isVersions, beginning.value]);
  useLayoutEffect(() => () => list.close(), []);
  useChanges([s3Path({ bucket })], () => void list.follow());
  const { finished } = transfers;
  const seen = useRef(finished.value);
  useLayoutEffect(() => {
    if (seen.current === finished.value) return;
    seen.current = finished.value;
    const timer = setTimeout(() => void list.follow(), 300); // uploads of one batch end in quick succession
    return () => clearTimeout(timer);
  }, [finished.value]);
  const folder = (next: string): void => {
    beginning.value = '';
    query.go({ prefix: next, versions: isVersions ? '1' : undefined });
  };
  const upload = (files: ReturnType<typeof pickedFiles>): void => uploadInto(bucket, prefix, files);
  const { entries, error, isBusy, hasMore, chosen } = list;
  const isEmpty = entries.value.length === 0 && !isBusy.value && error.value === undefined;
  return (
    <DropZone onFiles={upload} target={prefix === '' ? bucket : prefix}>
      <HeadActions>
        <Button text="Create folder" look="plain" onPress={() => openNewFolder(bucket, prefix, reload)} />
        <FileButton text="Upload folder" look="plain" isFolder onFiles={upload} />
        <FileButton text="Upload files" onFiles={upload} />
      </HeadActions>
      <div class="ob-toolbar">
        <FolderPath bucket={bucket} prefix={prefix} onFolder={folder} />
        <input
          type="search"
          class="ob-filter"
          aria-label="Name begins with"
          placeholder="Name begins with"
          value={beginning.value}
          onInput={({ currentTarget }) => {
            beginning.value = currentTarget.value;
          }}
        />
        <label class="ob-check">
          <input
            type="checkbox"
            checked={isVersions}
            onChange={({ currentTarget }) => query.go({ prefix, versions: currentTarget.checked ? '1' : undefined })}
          />
          All versions
        </label>
        <Button text="Refresh" look="plain" onPress={reload} />
      </div>
      <div class="ob-chosen" role="toolbar" aria-label="Selection">
        <p role="status">
          {chosen.value.size > 0
            ? `${countText(chosen.value.size, 'selected', 'selected')}`
            : countText(entries.value.length, 'entry', 'entries') + (hasMore.value ? ' so far' : '')}
        </p>
        {chosen.value.size > 0 && (
          <>
            <Button text="Download" look="plain" onPress={() => downloadEntries(bucket, list.chosenEntries)} />
            <Button
              text="Delete"
              look="danger"
              onPress={() => deleteEntries(bucket, list.chosenEntries, isVersions, reload)}
            />
            <Button text="Clear" look="plain" onPress={() => list.clear()} />
          </>
        )}
      </div>
      {error.value !== undefined && <Failure title="Could not list the objects." error={error.value} retry={reload} />}
      {isEmpty ? (
        <EmptyFolder bucket={bucket} prefix={prefix} isSearch={beginning.value !== ''} />
      ) : (
        <LongTable
          caption={`Objects in ${bucket}`}
          columns={entryColumns({ bucket, prefix, isVersions, session, onFolder: folder, reload })}
          rows={entries.value}
          keyOf={idOf}
          labelOf={({ key }) => visible(nameIn(prefix, key))}
          onOpen={(entry) => (entry.kind === 'folder' ? folder(entry.key) : go(entryUrl(bucket, entry)))}
          chosen={chosen.value}
          onChoose={(ids, isChosen) => list.choose(ids, isChosen)}
          onEnd={() => list.more()}
          onKey={(event, entry) => {
            if (event.key !== 'Delete') return;
            event.preventDefault();
            deleteEntries(bucket, [entry], isVersions, reload);
          }}
        >
          {isBusy.value && entries.value.length === 0 && <Skeletons />}
        </LongTable>
      )}
      <p class="ob-keys">
        Drop files anywhere on the page to upload them. <kbd>↑</kbd> <kbd>↓</kbd> move through the list,{' '}
        <kbd>Enter</kbd> opens, <kbd>x</kbd> selects, <kbd>Del</kbd> deletes.
      </p>
    </DropZone>
  );
}

const Skeletons = () => (
  <div class="ob-skeletons" role="status" aria-label="Loading the objects">
    {Array.from({ length: 6 }, (_, at) => (
      <span key={at} class="ob-skeleton" />
    ))}
  </div>
);

interface EmptyFolderProps {
  bucket: string;
  prefix: string;
  isSearch: boolean;
}

const EmptyFolder = ({ bucket, prefix, isSearch }: EmptyFolderProps) =>
  isSearch ? (
    <Empty text="No name in this folder begins with this text." />
  ) : (
    <Empty text={`This ${prefix === '' ? 'bucket' : 'folder'} is empty. Drop files here, or use the command line:`}>
      <pre class="ob-command">{uploadTo(bucket, prefix)}</pre>
    </Empty>
  );

interface FileButtonProps {
  text: string;
  look?: 'plain';
  isFolder?: boolean;
  onFiles(files: ReturnType<typeof pickedFiles>): void;
}

function FileButton({ text, look, isFolder = false, onFiles }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class={look === undefined ? 'button' : `button ${look}`}
        onClick={() => input.current?.click()}
      >
        <Icon name="upload" /> {text}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={text}
        {...{ webkitdirectory: isFolder || undefined }}
        onChange={({ currentTarget }) => {
          onFiles(pickedFiles(currentTarget.files));
          currentTarget.value = '';
        }}
      />
    </>
  );
}
