// Planted faults: steps of operations that fail, wait or crash.
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import type { Resource } from '../components/fetched.ts';
import type { Property } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Badge, Noted, Section } from '../components/text.tsx';
import { perform, toast } from '../components/toast.tsx';
import { plantFault } from '../resources/client-commands/page-commands.ts';
import { knownModels } from '../resources/page-urls.ts';
import type { PageProps } from '../router.ts';
import { kindTitle } from '../sitemap.ts';
import { type Fault, plantFaults, readFaults } from './lab-api.ts';
import { faultOf, modes, usualSteps } from './lab-model.ts';

export function FaultsPart({ session }: PageProps) {
  const list = useResource(readFaults);
  const plant = (): void => openFaultForm(list, session.contract);
  return (
    <Section
      title="Planted faults"
      lead="A fault makes a step of an operation fail, wait or end the process, so that you can test how clients react."
      main={<Button icon="plus" text="Plant fault" onPress={plant} />}
    >
      <Loaded resource={list} what="the faults">
        {(faults) =>
          faults.length === 0 ? (
            <Empty text="There are no planted faults.">
              <CommandLine text={plantFault} />
            </Empty>
          ) : (
            <Table
              caption="Planted faults"
              rows={faults}
              keyOf={(one) => JSON.stringify(one)}
              columns={columnsOf(faults, list)}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

const looks = { fail: 'fires', stall: 'waits', crash: 'fires' } as const;

const columnsOf = (faults: readonly Fault[], list: Resource<Fault[]>): Column<Fault>[] => [
  { title: 'Resource', cell: ({ kind }) => (kind === '*' ? 'all' : kindTitle(kind)) },
  { title: 'Step', look: 'code', cell: ({ step, when }) => `${when} ${step}` },
  { title: 'Effect', cell: ({ mode }) => <Badge look={looks[mode]} text={mode} /> },
  { title: 'Left', cell: ({ times }) => `${times} ×` },
  {
    title: 'Contract',
    cell: ({ contract, message }) => <Noted note={message}>{contract === undefined ? 'all' : contract}</Noted>,
  },
  {
    title: 'Actions',
    look: 'buttons',
    cell: (fault) => (
      <Button
        text="Remove"
        look="plain"
        label={`Remove fault ${fault.kind} ${fault.step}`}
        onPress={() =>
          perform(async () => {
            await plantFaults(faults.filter((one) => one !== fault));
            toast('Fault removed.');
            await list.reload();
          })
        }
      />
    ),
  },
];

const stepProperty: Property = {
  type: 'string',
  title: 'Step',
  description:
    'Type create.*, change.*, remove.commit or *, for example. A * also matches the steps that undo an operation.',
  default: usualSteps[0] ?? '',
};

function openFaultForm(list: Resource<Fault[]>, contract: number): void {
  perform(async () => {
    const models = await knownModels();
    const names = [...new Set(models.filter(({ create }) => create).map(({ name }) => name))].sort();
    openDialog((close) => (
      <Dialog title="Plant fault" close={close}>
        <Form
          class="tall"
          schema={schemaOf(names)}
          submit="Plant"
          cancel={close}
          send={async (values) => {
            const planted = await readFaults();
            await plantFaults([...planted, faultOf(values, contract)]);
            close();
            toast('Fault planted.');
            await list.reload();
          }}
        />
      </Dialog>
    ));
  });
}

const schemaOf = (names: readonly string[]) => ({
  properties: {
    kind: {
      type: 'string',
      title: 'Resource',
      oneOf: [{ const: '*', title: 'all' }, ...names.map((one) => ({ const: one, title: kindTitle(one) }))],
      default: names.includes('server') ? 'server' : '*',
    },
    step: stepProperty,
    mode: { type: 'string', title: 'Effect', oneOf: modes, default: 'fail' },
    when: {
      type: 'string',
      title: 'When',
      width: 'short',
      oneOf: [
        { const: 'before', title: 'before the step' },
        { const: 'after', title: 'after the step' },
      ],
      default: 'before',
    },
    times: { type: 'integer', title: 'Times', width: 'short', minimum: 1, maximum: 1_000_000, default: 1 },
    message: { type: 'string', title: 'Message', maxLength: 1000, description: 'Error message of the failed request' },
    everybody: {
      type: 'boolean',
      title: 'All contracts',
      description: 'Only the owner of the first contract may select this. Crashes always apply to all contracts.',
    },
  } satisfies Record<string, Property>,
  required: ['kind', 'step', 'mode', 'times'],
});
