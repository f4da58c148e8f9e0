// What a user does with folders and objects: upload, download, delete, restore, and a new folder.
import { confirm } from '../../components/confirm.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { perform, toast } from '../../components/toast.tsx';
import { openDeletion } from '../deletion/delete-objects.tsx';
import { Deletion } from '../deletion/deletion.ts';
import { fileNameOf, visible } from '../keys.ts';
import type { Entry, ObjectEntry } from '../s3/listing.ts';
import { putEmpty, removeObjects, restoreVersion } from '../s3/objects.ts';
import { downloadOf } from '../transfer/download.ts';
import type { PickedFile } from '../transfer/dropped-files.ts';
import { transfers } from '../transfer/transfers.ts';
import { uploadOf } from '../transfer/upload.ts';

export function uploadInto(bucket: string, prefix: string, files: readonly PickedFile[]): void {
  transfers.add(
    files.map(({ path, file }) => {
      const key = prefix + path;
      return { kind: 'upload', bucket, key, size: file.size, carry: uploadOf({ bucket, key, file }) };
    }),
  );
}

export function downloadEntries(bucket: string, entries: readonly Entry[]): void {
  const objects = entries.flatMap((entry) => (entry.kind === 'object' && !entry.isMarker ? [entry] : []));
  if (objects.length < entries.length) toast('Folders are not downloaded: open them, and choose what is in them.');
  transfers.add(
    objects.map(({ key, size, versionId }) => {
      const carry = downloadOf({ bucket, key, versionId }, fileNameOf(key));
      return { kind: 'download', bucket, key, size, carry };
    }),
  );
}

// `isVersions`: what is chosen are versions, which go for good.
export function deleteEntries(
  bucket: string,
  entries: readonly Entry[],
  isVersions: boolean,
  onDone: () => void,
): void {
  const objects = entries.flatMap((one) => (one.kind === 'object' ? [{ key: one.key, versionId: one.versionId }] : []));
  const folders = entries.flatMap((one) => (one.kind === 'folder' ? [one.key] : []));
  openDeletion(new Deletion({ bucket, objects, folders, withVersions: isVersions }), onDone);
}

// The marker of a deletion is taken away; another version is copied to the top.
export function restoreEntry(bucket: string, { key, versionId, isMarker }: ObjectEntry, onDone: () => void): void {
  if (isMarker) {
    perform(async () => {
      const [failed] = await removeObjects(bucket, [{ key, versionId }]);
      if (failed) throw new Error(failed.message);
      toast('The object is back.');
      onDone();
    });
    return;
  }
  confirm({
    title: 'Restore this version?',
    text: `A copy of it becomes the latest version of ${visible(key)}. The versions that are there stay.`,
    action: 'Restore',
    act: () => restoreVersion({ bucket, key, versionId }),
    onDone() {
      toast('The version was restored.');
      onDone();
    },
  });
}

export function openNewFolder(bucket: string, prefix: string, onMade: () => void): void {
  let isMade = false;
  openDialog((close) => (
    <Dialog title="New folder" close={close} onClosed={() => isMade && onMade()}>
      <Form
        schema={{
          properties: {
            name: {
              type: 'string',
              title: 'Name',
              maxLength: 200,
              description: 'Folders are the parts of keys before a slash. An empty one is an object of its own.',
            },
          },
          required: ['name'],
        }}
        submit="Make folder"
        cancel={close}
        send={async ({ name }) => {
          await putEmpty({ bucket, key: `${prefix}${String(name).replace(/\/+$/, '')}/` });
          isMade = true;
          close();
        }}
      />
    </Dialog>
  ));
}
