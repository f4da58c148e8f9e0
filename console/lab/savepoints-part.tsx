// Save points of the whole region. Saving and restoring stop the region for a moment, so failed reads are repeated
// until it answers.
import { useSignal } from '@preact/signals';
import { ApiError } from '../api.ts';
import { type Action, Button, RowActions } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { confirm } from '../components/confirm.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Form } from '../components/form.tsx';
import { useAbortSignal, useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Noted, Section, Time } from '../components/text.tsx';
import { failureToast, perform, toast } from '../components/toast.tsx';
import { savePointCommand } from '../resources/client-commands/page-commands.ts';
import { refusalOf } from '../rights/session-rights.ts';
import {
  createSavePoint,
  readSavePoints,
  removeSavePoint,
  restoreSavePoint,
  type SavePoint,
  type SavePoints,
  type SavePointWork,
} from './lab-api.ts';
import { bytesText } from './lab-model.ts';

const askAgainMs = 500;

export function SavePointsPart() {
  const list = useResource<SavePoints>(readSavePoints);
  const signal = useAbortSignal();
  const working = useSignal('');
  const follow = async (work: SavePointWork, text: string): Promise<void> => {
    working.value = text;
    try {
      const { state, message } = await endOf(work.id, signal);
      if (state === 'DONE') toast(`${text}: done`);
      else failureToast(new Error(message ?? `${text}: failed`));
    } finally {
      working.value = '';
    }
    await list.reload();
  };
  return (
    <Section
      title="Save points"
      lead="Saves the whole region, so that you can restore it later. The region stops for a moment. A restore ends all sessions."
      main={
        <Button
          icon="plus"
          text="Create save point"
          disabled={working.value !== ''}
          obstacle={refusalOf({ method: 'POST', path: '/lab/savepoints' })}
          onPress={() => openForm(follow)}
        />
      }
    >
      <p class="lab-working" role="status">
        {working.value !== '' && `${working.value} …`}
      </p>
      <Loaded resource={list} what="the save points">
        {({ savePoints }) =>
          savePoints.length === 0 ? (
            <Empty text="There are no save points yet.">
              <CommandLine text={savePointCommand} />
            </Empty>
          ) : (
            <Table
              caption="Save points"
              rows={savePoints}
              keyOf={({ name }) => name}
              columns={[
                { title: 'Name', cell: (one) => <Name {...one} /> },
                {
                  title: 'Created',
                  cell: ({ createdDate, regionTime }) => (
                    <Noted
                      note={
                        <>
                          region time: <Time iso={regionTime} />
                        </>
                      }
                    >
                      <Time iso={createdDate} />
                    </Noted>
                  ),
                },
                {
                  title: 'Size',
                  cell: ({ bytes, files }) => <Noted note={`${files} files`}>{bytesText(bytes)}</Noted>,
                },
                {
                  title: 'Actions',
                  look: 'buttons',
                  cell: ({ name }) => (
                    <RowActions of={`save point ${name}`} actions={actionsOf(name, follow, () => list.reload())} />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

const Name = ({ name, infrastructure, imported }: SavePoint) => (
  <>
    {name} {infrastructure && <Badge look="old" text="without data" />}{' '}
    {imported && <Badge look="old" text="imported" />}
  </>
);

type Follow = (work: SavePointWork, text: string) => Promise<void>;

function actionsOf(name: string, follow: Follow, reload: () => Promise<void>): readonly Action[] {
  const restore = (): void => {
    let work: SavePointWork | undefined;
    confirm({
      title: `Restore ${name}?`,
      text: 'All resources and data return to the state of this save point. Later changes are lost, unless another save point has them.',
      action: 'Restore',
      act: async () => {
        work = await restoreSavePoint(name);
      },
      onDone: () => perform(async () => work && (await follow(work, `Restore ${name}`))),
    });
  };
  const remove = (): void =>
    confirm({
      title: `Delete ${name}?`,
      text: 'The region itself does not change.',
      action: 'Delete',
      act: () => removeSavePoint(name),
      onDone: () => perform(reload),
    });
  return [
    ['Restore', restore],
    ['Delete', remove],
  ];
}

function openForm(follow: Follow): void {
  openDialog((close) => (
    <Dialog title="Create save point" close={close}>
      <Form
        schema={{
          properties: {
            name: {
              type: 'string',
              title: 'Name',
              maxLength: 64,
              description: 'Letters, digits, dots, hyphens and underscores.',
            },
            infrastructure: {
              type: 'boolean',
              title: 'Without data',
              description: 'Saves resources only, without metric samples, log lines, records and objects.',
            },
          },
          required: ['name'],
        }}
        submit="Create"
        cancel={close}
        send={async ({ name, infrastructure }) => {
          const work = await createSavePoint(String(name), infrastructure === true);
          close();
          perform(() => follow(work, `Create ${name}`));
        }}
      />
    </Dialog>
  ));
}

// While the region is stopped, calls fail or are answered with 503.
async function endOf(id: string, signal: AbortSignal): Promise<SavePointWork> {
  for (;;) {
    const found = await readSavePoints(signal).catch((error: unknown) => {
      const isStopped = error instanceof ApiError && (error.status === 0 || error.status >= 500);
      if (isStopped) return undefined;
      throw error;
    });
    if (found?.last?.id === id && found.last.state !== 'BUSY') return found.last;
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
    signal.throwIfAborted();
  }
}
