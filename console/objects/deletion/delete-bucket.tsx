// The dialog that deletes a bucket with its content. It shows the content, and the user has to type the bucket's name.
import { useSignal } from '@preact/signals';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Labelled, TextInput } from '../../components/field.tsx';
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { countText, sizeText } from '../keys.ts';
import { type BucketFacts, bucketFacts } from '../s3/buckets.ts';
import { listUploads } from '../s3/listing.ts';
import { Deletion } from './deletion.ts';
import { DeletionProgress } from './deletion-progress.tsx';

export function openBucketDeletion(bucket: string, onGone: () => void): void {
  const deletion = new Deletion({ bucket, withBucket: true });
  openDialog((close) => (
    <Dialog
      title={`Delete bucket ${bucket}?`}
      close={close}
      onClosed={() => {
        deletion.cancel();
        if (deletion.removed.value + deletion.aborted.value > 0 || deletion.state.value === 'done') onGone();
        if (deletion.state.value === 'done') toast(`Bucket ${bucket} deleted.`);
      }}
    >
      <DeleteBucket deletion={deletion} close={close} />
    </Dialog>
  ));
}

interface Content {
  facts: BucketFacts;
  uploads: string; // their number, as far as one page shows
}

async function contentOf(bucket: string, signal: AbortSignal): Promise<Content> {
  const [facts, { items, next }] = await Promise.all([
    bucketFacts(bucket, signal),
    listUploads({ bucket, prefix: '', signal }),
  ]);
  const uploads = countText(items.length, 'unfinished upload');
  return { facts, uploads: next === undefined ? uploads : `more than ${uploads}` };
}

function DeleteBucket({ deletion, close }: { deletion: Deletion; close(): void }) {
  const { bucket } = deletion.plan;
  const content = useResource((signal) => contentOf(bucket, signal));
  const total = useSignal(0);
  if (deletion.state.value !== 'asks')
    return <DeletionProgress deletion={deletion} total={total.value} close={close} of={`bucket ${bucket}`} />;
  return (
    <Loaded resource={content} what="the content of the bucket">
      {({ facts, uploads }) => (
        <Question
          bucket={bucket}
          facts={facts}
          uploads={uploads}
          cancel={close}
          begin={(bypass) => {
            total.value = facts.objects;
            void deletion.run(bypass).then(() => deletion.state.value === 'done' && close());
          }}
        />
      )}
    </Loaded>
  );
}

interface QuestionProps extends Content {
  bucket: string;
  cancel(): void;
  begin(bypass: boolean): void;
}

function Question({ bucket, facts, uploads, cancel, begin }: QuestionProps) {
  const typed = useSignal('');
  const bypass = useSignal(false);
  const { objects, bytes, hasLock } = facts;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.value === bucket) begin(bypass.value);
      }}
    >
      <p>
        {objects === 0
          ? `The bucket has no objects and ${uploads}. The deletion is permanent.`
          : `This permanently deletes ${countText(objects, 'object version')} and delete markers (${sizeText(bytes)}), ${uploads}, and all settings of the bucket.`}
      </p>
      {hasLock && (
        <p class="field flag">
          <input
            type="checkbox"
            id="ob-bypass"
            checked={bypass.value}
            onChange={({ currentTarget }) => {
              bypass.value = currentTarget.checked;
            }}
          />
          <label for="ob-bypass">Include versions under governance retention</label>
        </p>
      )}
      <Labelled title={`Type ${bucket} to confirm`}>{(id) => <TextInput id={id} value={typed} />}</Labelled>
      <Actions>
        <button type="submit" class="danger" disabled={typed.value !== bucket}>
          {objects === 0 ? 'Delete bucket' : 'Delete everything'}
        </button>
        <Button text="Cancel" look="plain" onPress={cancel} />
      </Actions>
    </form>
  );
}
