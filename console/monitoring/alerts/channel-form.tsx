// The dialogs that make or change a notification channel. The secret that signs what a webhook is sent is in its dialog
// and nowhere else.
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
  channel?: Channel; // the one that is changed
  onDone(): void;
}

export const secretOf = (name: string, value: string): Secret => ({
  title: `The secret of ${name}`,
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
  const title = `${channel ? 'Change the' : 'New'} ${type === 'webhook' ? 'webhook' : 'e-mail channel'}`;
  return (
    <Dialog title={secret.value?.title ?? title} close={close} onClosed={() => isDone.value && onDone()}>
      {secret.value ? (
        <SecretContent secret={secret.value} close={close} />
      ) : (
        <Form
          class="tall"
          schema={schema}
          values={channel ? shownValues(channel.properties) : {}}
          submit={channel ? 'Save' : 'Make channel'}
          cancel={close}
          send={send}
        />
      )}
    </Dialog>
  );
}

// A problem of one address belongs to the field of all of them.
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
    description: 'https://… or http://…, which gets a POST as from Alertmanager.',
    maxLength: 2048,
  },
  authorization: {
    type: 'string',
    title: 'Authorization header',
    format: 'password',
    description: channel
      ? 'Left empty, it stays as it is while the address is of the same server.'
      : 'Where the receiver asks for one, such as Bearer and a token. It is not shown again.',
  },
});

const mailFields: Fields = {
  url: {
    type: 'string',
    title: 'Mail server',
    description: 'smtp://user:password@host:587, or smtps://…:465. The password is not shown again.',
    maxLength: 2048,
  },
  recipients: { type: 'string', title: 'Recipients', format: 'multiline', description: 'One address in a line.' },
  from: { type: 'string', title: 'Sender', description: 'Left empty, it is the user of the mail server.' },
};

const sharedFields: Fields = {
  takesAll: { type: 'boolean', title: 'Also takes alerts of rules that name no channel', default: true },
  sendResolved: { type: 'boolean', title: 'Is told when an alert is over, too', default: true },
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
