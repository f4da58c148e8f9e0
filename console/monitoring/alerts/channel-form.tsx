// The dialogs that create or change a notification channel. The secret that signs webhook calls is shown only in its
// dialog.
import { useSignal } from '@preact/signals';
import { ApiError } from '../../api.ts';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import type { Property } from '../../components/field.tsx';
import { Form, type FormValues } from '../../components/form.tsx';
import { type Secret, SecretContent } from '../../components/secret-dialog.tsx';
import { type Channel, type ChannelProperties, saveChannel } from './alerting-api.ts';

export interface ChannelFormOptions {
  region: string;
  type: ChannelProperties['type'];
  channel?: Channel; // the channel to change
  onDone(): void;
}

export const secretOf = (name: string, value: string): Secret => ({
  title: `Secret of ${name}`,
  name: 'Secret',
  value,
  about: 'The receiver checks X-Cumulet-Signature with it: sha256=HMAC-SHA256(secret, timestamp + "." + body).',
});

export function openChannelForm(options: ChannelFormOptions): void {
  openDialog((close) => <ChannelForm {...options} close={close} />);
}

function ChannelForm({ region, type, channel, onDone, close }: ChannelFormOptions & { close(): void }) {
  const isDone = useSignal(false);
  const secret = useSignal<Secret | undefined>(undefined);
  const schema = {
    properties: { name: nameField, ...(type === 'webhook' ? webhookFields(channel) : mailFields), ...sharedFields },
    required: ['name', 'url', ...(type === 'email' ? ['recipients'] : [])],
  };
  const send = async (sent: FormValues): Promise<void> => {
    const { metadata, properties } = await saveChannel(region, channel?.id, propertiesOf(type, sent)).catch(byField);
    isDone.value = true;
    if (metadata.secret === undefined) close();
    else secret.value = secretOf(properties.name, metadata.secret);
  };
  const title = `${channel ? 'Change' : 'Create'} ${type === 'webhook' ? 'webhook' : 'e-mail channel'}`;
  return (
    <Dialog title={secret.value?.title ?? title} close={close} onClosed={() => isDone.value && onDone()}>
      {secret.value ? (
        <SecretContent secret={secret.value} close={close} />
      ) : (
        <Form
          class="tall"
          schema={schema}
          values={channel ? shownValues(channel.properties) : {}}
          submit={channel ? 'Save' : 'Create'}
          cancel={close}
          send={send}
        />
      )}
    </Dialog>
  );
}

// Moves a problem of one recipient to the field of all recipients.
function byField(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const problems = error.problems.map((one) => ({ ...one, message: one.message.replace(/\.\[\d+\](?=\])/, '') }));
  throw new ApiError(error.status, problems);
}

type Fields = Record<string, Property>;

const nameField: Property = { type: 'string', title: 'Name', maxLength: 100 };

const webhookFields = (channel: Channel | undefined): Fields => ({
  url: {
    type: 'string',
    title: 'Address',
    description: 'https://… or http://…. The region sends a POST in Alertmanager’s format.',
    maxLength: 2048,
  },
  authorization: {
    type: 'string',
    title: 'Authorization header',
    format: 'password',
    description: channel
      ? 'Leave empty to keep the current value. A new server in the address needs a new value.'
      : 'Optional, for example Bearer and a token. It is not shown again.',
  },
});

const mailFields: Fields = {
  url: {
    type: 'string',
    title: 'Mail server',
    description: 'smtp://user:password@host:587, or smtps://…:465. The password is not shown again.',
    maxLength: 2048,
  },
  recipients: { type: 'string', title: 'Recipients', format: 'multiline', description: 'One address per line.' },
  from: { type: 'string', title: 'Sender', description: 'Leave empty to use the user of the mail server.' },
};

const sharedFields: Fields = {
  takesAll: {
    type: 'boolean',
    title: 'Default channel',
    description: 'Also receives alerts of rules without a channel.',
    default: true,
  },
  sendResolved: {
    type: 'boolean',
    title: 'Notify on end',
    description: 'Also sends a message when an alert ends.',
    default: true,
  },
};

const shownValues = ({ name, url, recipients, from, takesAll, sendResolved }: ChannelProperties): FormValues => ({
  name,
  url,
  takesAll,
  sendResolved,
  recipients: recipients.join('\n'),
  ...(from !== null && { from }),
});

function propertiesOf(type: ChannelProperties['type'], sent: FormValues): Partial<ChannelProperties> {
  const { recipients, ...rest } = sent;
  const addresses = String(recipients ?? '')
    .split(/[\n,;]/)
    .map((address) => address.trim())
    .filter(Boolean);
  return { ...(rest as Partial<ChannelProperties>), type, ...(type === 'email' && { recipients: addresses }) };
}
