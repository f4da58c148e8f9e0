// The things that cause costs, the most expensive first.
import { useSignal } from '@preact/signals';
import { Button } from '../components/button.tsx';
import { Empty } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Noted } from '../components/text.tsx';
import { billedThingUrl, type Models } from '../resources/things.ts';
import { bucketUrl } from '../urls.ts';
import { costText, type ResourceCost } from './costs-model.ts';

const shownAtFirst = 20;
const mostShown = 1000;

export interface ResourceCostsProps {
  costs: readonly ResourceCost[];
  unit: string;
  places: number; // of amounts
  models: Models;
  isOpen: boolean; // the time has not ended
}

export function ResourceCosts({ costs, unit, places, models, isOpen }: ResourceCostsProps) {
  const isWhole = useSignal(false);
  if (costs.length === 0) return <Empty text="Nothing of this was used." />;
  const shown = isWhole.value ? mostShown : shownAtFirst;
  const rest = costs.slice(shown);
  const restSum = rest.reduce((sum, { amount }) => sum + amount, 0n);
  return (
    <>
      <Table
        caption="Costs by resource"
        rows={costs.slice(0, shown)}
        keyOf={({ id, product, datacenter }) => `${datacenter.id} ${id} ${product}`}
        columns={columnsOf({ unit, places, models, isOpen })}
      />
      {rest.length > 0 && (
        <div class="bar costs-rest">
          <p>
            {rest.length} more, {costText(restSum, places)} {unit} together
          </p>
          {!isWhole.value && (
            <Button
              text="Show more"
              look="plain"
              onPress={() => {
                isWhole.value = true;
              }}
            />
          )}
        </div>
      )}
    </>
  );
}

type Told = Omit<ResourceCostsProps, 'costs'>;

const columnsOf = ({ unit, places, models, isOpen }: Told): Column<ResourceCost>[] => [
  {
    title: 'Resource',
    cell: ({ id, name, kind, exists, datacenter }) => {
      const page = kind === 'bucket' ? bucketUrl(id) : billedThingUrl(models, kind, id, datacenter.id);
      const url = exists ? page : undefined;
      return <Noted note={exists ? kind : `${kind}, deleted`}>{url ? <a href={url}>{name}</a> : name}</Noted>;
    },
  },
  { title: 'In', cell: ({ datacenter }) => datacenter.name },
  { title: 'Product', cell: ({ product }) => product },
  {
    title: 'Used',
    cell: ({ uses }) => (
      <>
        {uses.map((use) => (
          <small key={use}>{use}</small>
        ))}
      </>
    ),
  },
  {
    title: isOpen ? 'Cost so far' : 'Cost',
    cell: ({ amount }) => <strong class="costs-amount">{`${costText(amount, places)} ${unit}`}</strong>,
  },
];
