// The dialogs that make or change a notification channel. The secret that signs what a webhook is sent is in its dialog
// and nowhere else.
import { ApiError } from '../api.ts';
import { openDialog } from '../parts/dialog.ts';
import type { Property } from '../parts/field.ts';
import { type FormValues, form } from '../parts/form.ts';
import { type Channel, type ChannelProperties, saveChannel } from './alert-calls.ts';
import { showSecret } from './once-shown.ts';

export interface ChannelFormOptions {
  region: string;
  type: ChannelProperties['type'];
  channel?: Channel; // the one that is changed
  onDone(): void;
}

export const secretOf = (name: string, value: string) => ({
  title: `The secret of ${name}`,
  name: 'Secret',
  value,
  about: 'The receiver checks X-Cumulet-Signature with it: sha256=HMAC-SHA256(secret, timestamp + "." + body).',
});

export function openChannelForm({ region, type, channel, onDone }: ChannelFormOptions): void {
  let isDone = false;
  const dialog = openDialog(() => {
    if (isDone) onDone();
  });
  const schema = {
    properties: { name: nameField, ...(type === 'webhook' ? webhookFields(channel) : mailFields), ...sharedFields },
    required: ['name', 'url', ...(type === 'email' ? ['recipients'] : [])],
  };
  const view = form({
    schema,
    values: channel ? shownValues(channel.properties) : {},
    submit: channel ? 'Save' : 'Make channel',
    cancel: () => dialog.close(),
    async send(sent) {
      const { metadata, properties } = await saveChannel(region, channel?.id, propertiesOf(type, sent)).catch(byField);
      isDone = true;
      if (metadata.secret === undefined) dialog.close();
      else showSecret(dialog, secretOf(properties.name, metadata.secret));
    },
  });
  view.classList.add('tall');
  dialog.show(`${channel ? 'Change the' : 'New'} ${type === 'webhook' ? 'webhook' : 'e-mail channel'}`, view);
}

// What is wrong with one of several belongs to the field of all of them.
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
