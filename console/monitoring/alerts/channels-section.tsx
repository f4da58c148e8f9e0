// The notification channels of a region: webhooks and mailboxes, with what could not be delivered to them.
import { Actions, Button } from '../../components/button.tsx';
import { confirmed } from '../../components/confirm.tsx';
import { openDialog } from '../../components/dialog.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { Empty } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Section, Time } from '../../components/text.tsx';
import { failureToast, perform, toast } from '../../components/toast.tsx';
import { type Channel, type ChannelProperties, deleteChannel, newSecret, testChannel } from './alerting-api.ts';
import { openChannelForm, secretOf } from './channel-form.tsx';

export interface ChannelsProps {
  region: string;
  channels: readonly Channel[];
  onChange(text: string): void;
}

export function ChannelsSection({ region, channels, onChange }: ChannelsProps) {
  const make = (type: ChannelProperties['type']): void =>
    openChannelForm({ region, type, onDone: () => onChange('The channel was made.') });
  return (
    <Section
      title="Notification channels"
      actions={
        <Actions>
          <Button onPress={() => make('webhook')}>New webhook</Button>
          <Button look="plain" onPress={() => make('email')}>
            New e-mail channel
          </Button>
        </Actions>
      }
    >
      {channels.length === 0 ? (
        <Empty text="There are no channels yet, so nobody is told of alerts." />
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
              cell: (channel) => <ChannelActions region={region} channel={channel} onChange={onChange} />,
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
    title: 'Goes to',
    look: 'code',
    cell: ({ properties: { type, url, recipients } }) =>
      type === 'email' ? [recipients.join(', '), <small key="url">{url}</small>] : url,
  },
  {
    title: 'Takes',
    cell: ({ properties: { takesAll, sendResolved } }) => (
      <>
        {takesAll ? 'all alerts' : 'what names it'}
        <small>{sendResolved ? 'and their end' : 'not their end'}</small>
      </>
    ),
  },
  { title: 'Delivery', cell: (channel) => <Delivery channel={channel} /> },
];

const Delivery = ({ channel: { metadata } }: { channel: Channel }) => {
  const { waiting, lastError, lost } = metadata;
  return (
    <>
      {waiting === 0 ? (
        'nothing waits'
      ) : (
        <span class="problem">
          {waiting} waiting: {lastError ?? 'to be sent'}
        </span>
      )}
      {lost && (
        <small>
          {lost.lost} given up <Time iso={lost.at} />: {lost.message}
        </small>
      )}
    </>
  );
};

interface ChannelActionsProps extends Omit<ChannelsProps, 'channels'> {
  channel: Channel;
}

function ChannelActions({ region, channel, onChange }: ChannelActionsProps) {
  const { id, properties } = channel;
  const { name, type } = properties;
  const edit = (): void =>
    openChannelForm({ region, type, channel, onDone: () => onChange('The channel was changed.') });
  const test = async (): Promise<void> => {
    const { delivered, detail } = await testChannel(region, id);
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
    if (isDone) openDialog((close) => <SecretDialog secret={secretOf(name, secret)} close={close} />);
  };
  const remove = async (): Promise<void> => {
    const isDone = await confirmed({
      title: 'Delete this channel?',
      text: `Nothing is sent to ${name} any more, not even what waits. Rules that name it use the channels that take all alerts.`,
      action: 'Delete',
      act: () => deleteChannel(region, id),
    });
    if (isDone) onChange('The channel was deleted.');
  };
  const actions: [text: string, press: () => void][] = [
    ['Test', () => perform(test)],
    ['Edit', edit],
    ...(type === 'webhook' ? [['New secret', () => perform(replaceSecret)] as [string, () => void]] : []),
    ['Delete', () => perform(remove)],
  ];
  return (
    <span class="actions">
      {actions.map(([text, press]) => (
        <Button key={text} look="plain" label={`${text} ${name}`} onPress={press}>
          {text}
        </Button>
      ))}
    </span>
  );
}
