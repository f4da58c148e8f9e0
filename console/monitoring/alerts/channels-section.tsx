// The notification channels of a region: webhooks and mailboxes, with their waiting and lost messages.
import { type Action, Actions, Button, RowActions } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { openSecret } from '../../components/secret-dialog.tsx';
import { Empty } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Noted, Section, Time } from '../../components/text.tsx';
import { failureToast, perform, toast } from '../../components/toast.tsx';
import {
  type Channel,
  type ChannelProperties,
  channelRefusal,
  deleteChannel,
  newSecret,
  testChannel,
} from './alerting-api.ts';
import { openChannelForm, secretOf } from './channel-form.tsx';

export interface ChannelsProps {
  region: string;
  channels: readonly Channel[];
  onChange(text: string): void;
}

export function ChannelsSection(props: ChannelsProps) {
  const { region, channels, onChange } = props;
  const refusal = channelRefusal(region, 'POST');
  const make = (type: ChannelProperties['type']): void =>
    openChannelForm({ region, type, onDone: () => onChange('Channel created.') });
  return (
    <Section
      title="Notification channels"
      actions={
        <Actions>
          <Button text="Create webhook" look="plain" obstacle={refusal} onPress={() => make('webhook')} />
          <Button text="Create e-mail channel" look="plain" obstacle={refusal} onPress={() => make('email')} />
        </Actions>
      }
    >
      {channels.length === 0 ? (
        <Empty text="There are no channels yet, so alerts notify no one." />
      ) : (
        <Table
          caption="Notification channels"
          rows={channels}
          keyOf={({ id }) => id}
          columns={[
            ...columns,
            {
              title: 'Actions',
              look: 'buttons',
              cell: (channel) => <RowActions of={channel.properties.name} actions={actionsOf(channel, props)} />,
            },
          ]}
        />
      )}
    </Section>
  );
}

const columns: readonly Column<Channel>[] = [
  { title: 'Name', cell: ({ properties }) => properties.name },
  { title: 'Type', cell: ({ properties }) => (properties.type === 'email' ? 'e-mail' : 'webhook') },
  {
    title: 'Target',
    look: 'code',
    cell: ({ properties: { type, url, recipients } }) =>
      type === 'email' ? <Noted note={url}>{recipients.join(', ')}</Noted> : url,
  },
  {
    title: 'Alerts',
    cell: ({ properties: { takesAll, sendResolved } }) => (
      <Noted note={sendResolved ? 'with end' : 'without end'}>
        {takesAll ? 'default channel' : 'only rules with this channel'}
      </Noted>
    ),
  },
  { title: 'Delivery', cell: (channel) => <Delivery channel={channel} /> },
];

const Delivery = ({ channel: { metadata } }: { channel: Channel }) => {
  const { waiting, lastError, lost } = metadata;
  return (
    <>
      {waiting === 0 ? (
        'none waiting'
      ) : (
        <span class="problem">
          {waiting} waiting{lastError === undefined ? '' : `: ${lastError}`}
        </span>
      )}
      {lost && (
        <small>
          {lost.lost} lost <Time iso={lost.at} />: {lost.message}
        </small>
      )}
    </>
  );
};

function actionsOf(channel: Channel, { region, onChange }: ChannelsProps): readonly Action[] {
  const { id, properties } = channel;
  const { name, type } = properties;
  const edit = (): void => openChannelForm({ region, type, channel, onDone: () => onChange('Channel changed.') });
  const test = async (): Promise<void> => {
    const { delivered, detail } = await testChannel(region, id);
    if (delivered) toast(`${name} accepted the test: ${detail}.`);
    else failureToast(new Error(`${name} refused the test: ${detail}.`));
  };
  const replaceSecret = (): void => {
    let secret = '';
    confirm({
      title: 'Create a new secret?',
      text: `Messages to ${name} are signed with the new secret immediately.`,
      action: 'Create secret',
      act: async () => {
        secret = await newSecret(region, id);
      },
      onDone: () => openSecret(secretOf(name, secret)),
    });
  };
  const remove = (): void =>
    confirm({
      title: 'Delete this channel?',
      text: `Waiting messages to ${name} are discarded. Rules with this channel notify the default channels instead.`,
      action: 'Delete',
      act: () => deleteChannel(region, id),
      onDone: () => onChange('Channel deleted.'),
    });
  const actions: Action[] = [
    ['Test', () => perform(test), 'Test', channelRefusal(region, 'POST', id, '/test')],
    ['Edit', edit, 'Edit', channelRefusal(region, 'PUT', id)],
    ['New secret', replaceSecret, 'New secret', channelRefusal(region, 'POST', id, '/secret')],
    ['Delete', remove, 'Delete', channelRefusal(region, 'DELETE', id)],
  ];
  return actions.filter(([text]) => text !== 'New secret' || type === 'webhook');
}
