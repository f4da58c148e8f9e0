// The notification channels of a region: webhooks and mailboxes, with what could not be delivered to them.
import { button, type Child, element, freshId } from '../dom.ts';
import { confirmed } from '../parts/confirm.ts';
import { empty } from '../parts/states.ts';
import { table } from '../parts/table.ts';
import { failureToast, perform, toast } from '../parts/toast.ts';
import { timeElement } from '../times.ts';
import { type Channel, deleteChannel, newSecret, tryChannel } from './alert-calls.ts';
import { openChannelForm, secretOf } from './channel-form.ts';
import { showOnce } from './once-shown.ts';

export interface ChannelsOptions {
  region: string;
  channels: readonly Channel[];
  onChange(text: string): void;
}

export function channelsSection(options: ChannelsOptions): HTMLElement {
  const { region, channels, onChange } = options;
  const id = freshId('channels');
  const make = (type: 'webhook' | 'email') => () =>
    openChannelForm({ region, type, onDone: () => onChange('The channel was made.') });
  return element(
    'section',
    { class: 'part', 'aria-labelledby': id },
    element(
      'div',
      { class: 'head' },
      element('h2', { id }, 'Notification channels'),
      element(
        'div',
        { class: 'actions' },
        button('New webhook', make('webhook')),
        button('New e-mail channel', make('email'), { look: 'plain' }),
      ),
    ),
    channels.length === 0
      ? empty('There are no channels yet, so nobody is told of alerts.')
      : table({
          caption: 'Notification channels',
          rows: channels,
          columns: [
            { title: 'Name', cell: ({ properties }) => properties.name },
            { title: 'Type', cell: ({ properties }) => (properties.type === 'email' ? 'e-mail' : 'webhook') },
            { title: 'Goes to', look: 'code', cell: targetOf },
            { title: 'Takes', cell: takenOf },
            { title: 'Delivery', cell: deliveryOf },
            { title: 'Actions', look: 'buttons', cell: (channel) => actionsOf(channel, options) },
          ],
        }),
  );
}

const targetOf = ({ properties: { type, url, recipients } }: Channel): Child =>
  type === 'email' ? [recipients.join(', '), element('small', {}, url)] : url;

const takenOf = ({ properties: { takesAll, sendResolved } }: Channel): Child => [
  takesAll ? 'all alerts' : 'what names it',
  element('small', {}, sendResolved ? 'and their end' : 'not their end'),
];

function deliveryOf({ metadata: { waiting, lastError, lost } }: Channel): Child {
  return [
    waiting === 0
      ? 'nothing waits'
      : element('span', { class: 'problem' }, `${waiting} waiting: ${lastError ?? 'to be sent'}`),
    lost && element('small', {}, `${lost.lost} given up `, timeElement(lost.at), `: ${lost.message}`),
  ];
}

function actionsOf(channel: Channel, { region, onChange }: ChannelsOptions): Child {
  const { id, properties } = channel;
  const { name, type } = properties;
  const change = (): void =>
    openChannelForm({ region, type, channel, onDone: () => onChange('The channel was changed.') });
  const attempt = async (): Promise<void> => {
    const { delivered, detail } = await tryChannel(region, id);
    if (delivered) toast(`${name} took the test: ${detail}.`);
    else failureToast(new Error(`${name} did not take the test: ${detail}.`));
  };
  const replaceSecret = async (): Promise<void> => {
    let secret = '';
    const isDone = await confirmed({
      title: 'Make a new secret?',
      text: `What is sent to ${name} is signed with the new one at once.`,
      action: 'Make a new secret',
      act: async () => {
        secret = await newSecret(region, id);
      },
    });
    if (isDone) showOnce(secretOf(name, secret));
  };
  const remove = async (): Promise<void> => {
    const isDone = await confirmed({
      title: 'Delete this channel?',
      text: `${name} is told nothing any more, nor what waits for it. Rules that name it tell all that take everything.`,
      action: 'Delete',
      act: () => deleteChannel(region, id),
    });
    if (isDone) onChange('The channel was deleted.');
  };
  const named = (text: string, press: () => void): HTMLElement =>
    button(text, press, { look: 'plain', label: `${text} ${name}` });
  return element(
    'span',
    { class: 'actions' },
    named('Test', () => perform(attempt)),
    named('Edit', change),
    type === 'webhook' && named('New secret', () => perform(replaceSecret)),
    named('Delete', () => perform(remove)),
  );
}
