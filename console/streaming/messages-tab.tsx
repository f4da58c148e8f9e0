// The tab Messages of a topic: messages from either end, an offset or a time, with keys and headers.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { Actions, Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Labelled, Select, TextInput } from '../components/field.tsx';
import { HeadActions } from '../components/page/page-head.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { Copyable } from '../components/secret-dialog.tsx';
import { Empty, Failure, Waiting } from '../components/states.tsx';
import { perform } from '../components/toast.tsx';
import { formatValue } from '../plot/units.ts';
import { firstMessage } from '../resources/client-commands/page-commands.ts';
import type { TabProps } from '../resources/extension.ts';
import { refusalOf } from '../rights/session-rights.ts';
import { type Form, preview, readable } from './bytes.ts';
import { type Message, messagesPath, type PartitionMessage } from './inspection.ts';
import { MessagesModel, type Place } from './messages-model.ts';
import { openNewMessage } from './new-message-dialog.tsx';

const places: readonly [Place, string][] = [
  ['newest', 'Newest'],
  ['oldest', 'Oldest'],
  ['offset', 'Offset'],
  ['time', 'Time'],
];
const forms: readonly [Form, string][] = [
  ['auto', 'Automatic'],
  ['text', 'Text'],
  ['json', 'JSON'],
  ['hex', 'Hexadecimal'],
];
const times = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

export function MessagesTab({ item, path }: TabProps) {
  const gone = useAbortSignal();
  const partitions = Number(item.properties.numberOfPartitions ?? 1);
  const name = String(item.properties.name);
  const model = useMemo(() => new MessagesModel(path, partitions, gone), []);
  useLayoutEffect(() => void model.load(), []);
  return (
    <div class="topics">
      <HeadActions>
        <SendButton model={model} name={name} />
      </HeadActions>
      <Controls model={model} />
      {model.failure.value !== undefined && <Failure error={model.failure.value} retry={() => void model.load()} />}
      <Found model={model} name={name} />
    </div>
  );
}

function Controls({ model }: { model: MessagesModel }) {
  const { partition, place, form } = model;
  const span = model.span.value;
  return (
    <form
      class="topics-bar"
      onSubmit={(event) => {
        event.preventDefault();
        void model.load();
      }}
    >
      <Select
        title="Partition"
        value={partition.value}
        options={model.options}
        onChange={(one) => {
          partition.value = one;
          void model.load();
        }}
      />
      <Select
        title="From"
        value={place.value}
        options={places}
        onChange={(one) => {
          place.value = one as Place;
          if (one === 'newest' || one === 'oldest') void model.load();
        }}
      />
      {place.value === 'offset' && (
        <Labelled title="Offset">{(id) => <TextInput id={id} value={model.offset} />}</Labelled>
      )}
      {place.value === 'time' && (
        <Labelled title="Time">
          {(id) => (
            <input
              id={id}
              type="datetime-local"
              step={1}
              value={model.time.value}
              onInput={({ currentTarget }) => {
                model.time.value = currentTarget.value;
              }}
            />
          )}
        </Labelled>
      )}
      <Select title="Value format" value={form.value} options={forms} onChange={(one) => (form.value = one as Form)} />
      <Labelled title="Filter" class="field topics-filter">
        {(id) => <TextInput id={id} value={model.text} placeholder="key, value or header" />}
      </Labelled>
      <Actions>
        <button type="submit" class="plain">
          Read
        </button>
        <Button
          text="Earlier"
          look="plain"
          disabled={!span || span.first <= span.start}
          onPress={() => void model.turn(-1)}
        />
        <Button
          text="Later"
          look="plain"
          disabled={!span || span.next >= span.end}
          onPress={() => void model.turn(1)}
        />
        <Button
          text={model.isLive.value ? 'Pause' : 'Live'}
          look="plain"
          label={model.isLive.value ? 'Pause live messages' : 'Show new messages live'}
          onPress={() => (model.isLive.value ? model.pause() : perform(() => model.follow(() => document.hidden)))}
        />
      </Actions>
    </form>
  );
}

// Sent messages are at the end, which live messages show anyway.
const SendButton = ({ model, name }: { model: MessagesModel; name: string }) => (
  <Button
    text="Send message"
    obstacle={refusalOf({ method: 'POST', path: messagesPath(model.path) })}
    onPress={() =>
      openNewMessage({
        path: model.path,
        name,
        partitions: model.partitions,
        onSent() {
          if (!model.isLive.value) void model.load();
        },
      })
    }
  />
);

function Found({ model, name }: { model: MessagesModel; name: string }) {
  const messages = model.messages.value;
  const { found } = model;
  if (!messages || !found) return model.failure.value === undefined ? <Waiting what="the messages" /> : null;
  if (messages.length === 0)
    return (
      <Empty text="There are no messages here. Send one above, or with any Kafka client:">
        <CommandLine text={firstMessage(model.path.split('/').at(-3) ?? '', name)} />
      </Empty>
    );
  return (
    <>
      <p class="topics-note" role="status">
        {found.length === messages.length ? messages.length : `${found.length} of ${messages.length}`} messages
        {model.isBusy.value ? ' …' : ''}
        {model.isLive.value && '; new ones appear at the top'}
        {model.missed.value > 0 && `; ${model.missed.value} arrived too fast to be shown`}
        {model.skipped.value > 0 && `; ${model.skipped.value} batches are too large or unreadable`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys */}
      <section class="topics-scroll" tabIndex={0} aria-label="Messages">
        <table class="topics-messages">
          <caption class="unseen">Messages</caption>
          <thead>
            <tr>
              {['Partition', 'Offset', 'Time', 'Key', 'Value'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.map((one) => (
              <Line key={`${one.partition}/${one.offset}`} message={one} model={model} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Line({ message, model }: { message: PartitionMessage; model: MessagesModel }) {
  const form = model.form.value;
  return (
    <tr onClick={() => openMessage(message, model)}>
      <td>{message.partition}</td>
      <td>
        <button
          type="button"
          class="plain topics-open"
          aria-label={`Open message ${message.offset} of partition ${message.partition}`}
          onClick={(event) => {
            event.stopPropagation();
            openMessage(message, model);
          }}
        >
          {message.offset}
        </button>
      </td>
      <td>{times.format(message.timeMs)}</td>
      <td>
        <bdi>{preview(message.key)}</bdi>
      </td>
      <td>
        <bdi>{preview(message.value, form)}</bdi>
      </td>
    </tr>
  );
}

function openMessage(message: PartitionMessage, model: MessagesModel): void {
  openDialog((close) => (
    <Dialog title={`Message ${message.offset} of partition ${message.partition}`} close={close}>
      <Details message={message} model={model} />
      <Actions>
        <Button text="Close" look="plain" takesFocus onPress={close} />
      </Actions>
    </Dialog>
  ));
}

function Details({ message, model }: { message: PartitionMessage; model: MessagesModel }) {
  const shown = useSignal<Message>(message);
  const { key, value, headers, timeMs } = shown.value;
  const form = model.form.value;
  const content = readable(value, form);
  const load = async (): Promise<void> => {
    const whole = await model.whole(message);
    if (whole) shown.value = whole;
  };
  return (
    <>
      <dl class="topics-facts">
        <dt>Time</dt>
        <dd>{new Date(timeMs).toISOString()}</dd>
        <dt>Key</dt>
        <dd>
          <bdi>{preview(key)}</bdi>
        </dd>
        {headers.map((header, at) => (
          <>
            <dt key={`${at} name`}>
              <bdi>{header.key}</bdi>
            </dt>
            <dd key={at}>
              <bdi>{preview(header.value)}</bdi>
            </dd>
          </>
        ))}
      </dl>
      <div class="topics-value">
        <Copyable title={`Value, ${formatValue(value.bytes, 'bytes')}`} text={content.text} />
      </div>
      {content.isCut && (
        <Actions>
          <Button
            text={shown.value === message ? 'Show more' : 'Use a Kafka client for the rest'}
            look="plain"
            disabled={shown.value !== message}
            onPress={() => perform(load)}
          />
        </Actions>
      )}
    </>
  );
}
