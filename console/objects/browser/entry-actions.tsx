// Actions on folders and objects: upload, download, delete, restore, create a folder.
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
  if (objects.length < entries.length) toast('Folders can’t be downloaded. Open a folder and select its objects.');
  transfers.add(
    objects.map(({ key, size, versionId }) => {
      const carry = downloadOf({ bucket, key, versionId }, fileNameOf(key));
      return { kind: 'download', bucket, key, size, carry };
    }),
  );
}

// `isVersions`: the entries are versions, which are deleted permanently.
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

// Removes a delete marker, or copies another version to the top.
export function restoreEntry(bucket: string, { key, versionId, isMarker }: ObjectEntry, onDone: () => void): void {
  if (isMarker) {
    perform(async () => {
      const [failed] = await removeObjects(bucket, [{ key, versionId }]);
      if (failed) throw new Error(failed.message);
      toast('Object restored.');
      onDone();
    });
    return;
  }
  confirm({
    title: 'Restore this version?',
    text: `A copy becomes the latest version of ${visible(key)}. All existing versions stay.`,
    action: 'Restore',
    act: () => restoreVersion({ bucket, key, versionId }),
    onDone() {
      toast('Version restored.');
      onDone();
    },
  });
}

export function openNewFolder(bucket: string, prefix: string, onMade: () => void): void {
  let isMade = false;
  openDialog((close) => (
    <Dialog title="Create folder" close={close} onClosed={() => isMade && onMade()}>
      <Form
        schema={{
          properties: {
            name: {
              type: 'string',
              title: 'Name',
              maxLength: 200,
              description: 'An empty folder is an object whose key ends with a slash.',
            },
          },
          required: ['name'],
        }}
        submit="Create"
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
