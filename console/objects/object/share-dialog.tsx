// The dialog that creates a presigned link to an object. Anyone with the link can download the object, or upload it
// again, until the link expires. The region signs it with one of the user's access keys, or with a new one.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { call } from '../../api.ts';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form, type Schema } from '../../components/form.tsx';
import { useResource } from '../../components/resource.ts';
import { Copyable } from '../../components/secret-dialog.tsx';
import { Loaded } from '../../components/states.tsx';
import type { Session } from '../../session.ts';
import { dateText } from '../../times.ts';
import { fileNameOf, visible } from '../keys.ts';
import type { Named } from '../s3/objects.ts';
import { curlOf, type Link, makeAccessKey, type OwnKey, ownAccessKeys } from './links.ts';

const lifetimes = [
  [900, '15 minutes'],
  [3600, '1 hour'],
  [43_200, '12 hours'],
  [86_400, '1 day'],
  [604_800, '7 days'],
] as const;

export function openShare(object: Named, session: Session): void {
  openDialog((close) => (
    <Dialog title="Share object" close={close}>
      <Share object={object} session={session} close={close} />
    </Dialog>
  ));
}

interface ShareProps {
  object: Named;
  session: Session;
  close(): void;
}

function Share({ object, session, close }: ShareProps) {
  const keys = useResource((signal) => ownAccessKeys(session.user.id, signal));
  const link = useSignal<Link | undefined>(undefined);
  const createdKey = useRef<string | undefined>(undefined); // a key that was created for a refused link
  const name = fileNameOf(object.key);
  if (link.value)
    return (
      <>
        <p>{`Anyone with this link can use it until ${dateText(link.value.expiresDate)}.`}</p>
        <Copyable title="Link" text={link.value.url} takesFocus />
        <Copyable title="curl command" text={curlOf(link.value, name)} />
        <Actions>
          <Button text="Done" look="plain" onPress={close} />
        </Actions>
      </>
    );
  return (
    <>
      <p class="ob-key">{visible(object.key)}</p>
      <Loaded resource={keys} what="your access keys">
        {(found) => (
          <Form
            schema={schemaWith(found)}
            submit="Create link"
            cancel={close}
            send={async (values) => {
              if (values.accessKey === newKey) createdKey.current ??= await makeAccessKey();
              const accessKey = values.accessKey === newKey ? createdKey.current : values.accessKey;
              const { bucket, key, versionId } = object;
              const isDownload = values.method === 'GET';
              const body = { ...values, accessKey, bucket, key, ...(isDownload && { fileName: name, versionId }) };
              link.value = await call<Link>('POST', '/console/object-links', { body });
            }}
          />
        )}
      </Loaded>
    </>
  );
}

const newKey = 'new';

const schemaWith = (keys: readonly OwnKey[]): Schema => ({
  properties: {
    method: {
      type: 'string',
      title: 'Permission',
      default: 'GET',
      oneOf: [
        { const: 'GET', title: 'Download' },
        { const: 'PUT', title: 'Upload' },
      ],
    },
    expiresS: {
      type: 'integer',
      title: 'Valid for',
      default: 3600,
      oneOf: lifetimes.map(([seconds, title]) => ({ const: seconds, title })),
    },
    accessKey: {
      type: 'string',
      title: 'Access key',
      default: keys[0]?.accessKey ?? newKey,
      oneOf: [
        ...keys.map(({ accessKey, title }) => ({ const: accessKey, title })),
        { const: newKey, title: 'new access key' },
      ],
      description: 'Signs the link, which has your rights. If the key is deleted, the link stops working.',
    },
  },
  required: ['method', 'expiresS', 'accessKey'],
});
