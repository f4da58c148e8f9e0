// Makes a bucket: its name, region, versioning and object lock.

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

// Of a user alone: the platform keeps them apart from those of the contract.
const userRegions = ['de', 'eu-central-2', 'eu-south-2'];

const schemaOf = (regions: readonly string[]): Schema => ({
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      minLength: 3,
      maxLength: 63,
      pattern: '[a-z0-9][a-z0-9.\\-]*[a-z0-9]',
      description: 'Unique in the region: 3 to 63 small letters, digits, hyphens and dots.',
    },
    region: {
      type: 'string',
      title: 'Region',
      default: 'eu-central-3',
      oneOf: regions.map((id) => ({ const: id, title: userRegions.includes(id) ? `${id}, yours alone` : id })),
    },
    versioning: { type: 'boolean', title: 'Keep versions of objects' },
    lock: {
      type: 'boolean',
      title: 'Object lock',
      description: 'Objects can be locked against deletion for a time. It switches versioning on, for good.',
    },
  },
  required: ['name', 'region'],
});

// Leads to the new bucket: what comes next is to put something into it.
export function openNewBucket(): void {
  let made: string | undefined;
  openDialog((close) => (
    <Dialog title="New bucket" close={close} onClosed={() => made !== undefined && go(bucketUrl(made))}>
      <NewBucket
        onMade={(name) => {
          made = name;
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
          submit="Create bucket"
          cancel={cancel}
          send={async ({ name, region, versioning, lock }) => {
            await createBucket({
              name: String(name),
              region: String(region),
              versioning: versioning === true,
              lock: lock === true,
            });
            toast(`Bucket ${name} was made.`);
            onMade(String(name));
          }}
        />
      )}
    </Loaded>
  );
}
