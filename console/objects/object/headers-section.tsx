// The stored headers and metadata of an object. A change copies the object onto itself.
import { Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form, type Schema } from '../../components/form.tsx';
import { Section } from '../../components/text.tsx';
import { toast } from '../../components/toast.tsx';
import { type Named, type ObjectFacts, setHeaders, storedHeaders } from '../s3/objects.ts';
import { linesOf, pairsIn } from '../settings/pairs.ts';

export interface HeadersSectionProps {
  object: Named;
  facts: ObjectFacts;
  reload(): void;
}

export function HeadersSection({ object, facts, reload }: HeadersSectionProps) {
  const rows = [
    ...Object.entries(facts.headers),
    ...Object.entries(facts.meta).map(([name, value]) => [`x-amz-meta-${name}`, value] as const),
  ];
  return (
    <Section
      title="Headers and metadata"
      actions={
        object.versionId === undefined && (
          <Button
            text="Edit"
            look="plain"
            label="Edit headers and metadata"
            onPress={() => openHeaders(object, facts, reload)}
          />
        )
      }
    >
      {rows.length === 0 ? (
        <p class="hint">Only the type: {facts.type}</p>
      ) : (
        <dl class="ob-facts">
          {rows.map(([name, value]) => (
            <div key={name} class="ob-pair">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}

const schema: Schema = {
  properties: {
    'Content-Type': { type: 'string', maxLength: 200 },
    ...Object.fromEntries(storedHeaders.map((name) => [name, { type: 'string' as const, maxLength: 1000 }])),
    meta: {
      type: 'string',
      format: 'multiline',
      title: 'Metadata',
      description: 'One per line: name = value. At most 2 KB in total.',
    },
  },
  required: ['Content-Type'],
};

function openHeaders(object: Named, { type, headers, meta }: ObjectFacts, onDone: () => void): void {
  let isDone = false;
  openDialog((close) => (
    <Dialog title="Headers and metadata" close={close} onClosed={() => isDone && onDone()}>
      <Form
        schema={schema}
        class="tall"
        values={{ 'Content-Type': type, ...headers, meta: linesOf(meta) }}
        submit="Save"
        cancel={close}
        send={async ({ 'Content-Type': newType, meta: lines = '', ...others }) => {
          const sent = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
          await setHeaders(object, String(newType), sent, pairsIn(String(lines)));
          toast('Headers and metadata saved.');
          isDone = true;
          close();
        }}
      />
    </Dialog>
  ));
}
