// The tags of a bucket or an object.
import { Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { Section } from '../../components/text.tsx';
import { toast } from '../../components/toast.tsx';
import { countText } from '../keys.ts';
import { readTags, setTags, type Tags } from '../s3/objects.ts';
import type { Place } from '../s3/s3.ts';
import { linesOf, pairsIn } from './pairs.ts';

export interface TagsSectionProps {
  place: Place & { versionId?: string | undefined };
  most: number;
}

export function TagsSection({ place, most }: TagsSectionProps) {
  const tags = useResource(() => readTags(place));
  const answer = tags.answer.value;
  const known = answer && 'value' in answer ? answer.value : undefined;
  return (
    <Section
      title="Tags"
      actions={
        known && (
          <Button
            text="Edit"
            look="plain"
            label="Edit tags"
            onPress={() => openTags(place, known, most, () => void tags.reload())}
          />
        )
      }
    >
      <div class="ob-setting">
        <Loaded resource={tags} what="the tags">
          {(pairs) =>
            Object.keys(pairs).length === 0 ? (
              <p class="hint">None.</p>
            ) : (
              <ul class="ob-tags">
                {Object.entries(pairs).map(([name, value]) => (
                  <li key={name} class="ob-key">
                    {name}
                    {value && ` = ${value}`}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Section>
  );
}

function openTags(place: TagsSectionProps['place'], tags: Tags, most: number, onDone: () => void): void {
  let isDone = false;
  openDialog((close) => (
    <Dialog title="Tags" close={close} onClosed={() => isDone && onDone()}>
      <Form
        schema={{
          properties: {
            lines: {
              type: 'string',
              format: 'multiline',
              title: 'Tags',
              description: `One per line: name = value. At most ${countText(most, 'tag')}.`,
            },
          },
        }}
        values={{ lines: linesOf(tags) }}
        submit="Save"
        cancel={close}
        send={async ({ lines = '' }) => {
          await setTags(place, pairsIn(String(lines)));
          toast('Tags saved.');
          isDone = true;
          close();
        }}
      />
    </Dialog>
  ));
}
