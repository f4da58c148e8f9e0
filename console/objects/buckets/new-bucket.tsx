// The dialog that creates a bucket: name, region, versioning and object lock.

import { call } from '../../api.ts';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form, type Schema } from '../../components/form.tsx';
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { go } from '../../router.ts';
import { bucketUrl } from '../../urls.ts';
import { createBucket } from '../s3/buckets.ts';

interface Regions {
  items: { id: string }[];
}

// Regions for buckets of a single user, which are separate from the contract's buckets.
const userRegions = ['de', 'eu-central-2', 'eu-south-2'];

const schemaOf = (regions: readonly string[]): Schema => ({
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      minLength: 3,
      maxLength: 63,
      pattern: '[a-z0-9][a-z0-9.\\-]*[a-z0-9]',
      description: '3 to 63 lower-case letters, digits, hyphens and dots. Unique in the region.',
    },
    region: {
      type: 'string',
      title: 'Region',
      default: 'eu-central-3',
      oneOf: regions.map((id) => ({ const: id, title: userRegions.includes(id) ? `${id} (only you)` : id })),
    },
    versioning: {
      type: 'boolean',
      title: 'Versioning',
      description: 'Keeps older versions of overwritten and deleted objects.',
    },
    lock: {
      type: 'boolean',
      title: 'Object lock',
      description: 'Objects can be protected from deletion for a time. Versioning is switched on permanently.',
    },
  },
  required: ['name', 'region'],
});

// By default it then opens the new bucket, because the next step is an upload.
export function openNewBucket(onCreated: (name: string) => void = (name) => go(bucketUrl(name))): void {
  let created: string | undefined;
  openDialog((close) => (
    <Dialog title="Create bucket" close={close} onClosed={() => created !== undefined && onCreated(created)}>
      <NewBucket
        onMade={(name) => {
          created = name;
          close();
        }}
        cancel={close}
      />
    </Dialog>
  ));
}

function NewBucket({ onMade, cancel }: { onMade(name: string): void; cancel(): void }) {
  const regions = useResource((signal) => call<Regions>('GET', '/objectstorage-management/regions', { signal }));
  return (
    <Loaded resource={regions} what="the storage regions">
      {({ items }) => (
        <Form
          schema={schemaOf(items.map(({ id }) => id))}
          submit="Create"
          cancel={cancel}
          send={async ({ name, region, versioning, lock }) => {
            await createBucket({
              name: String(name),
              region: String(region),
              versioning: versioning === true,
              lock: lock === true,
            });
            toast(`Bucket ${name} created.`);
            onMade(String(name));
          }}
        />
      )}
    </Loaded>
  );
}
