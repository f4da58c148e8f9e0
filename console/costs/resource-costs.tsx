// The costs by resource, the most expensive first.
import { useSignal } from '@preact/signals';
import { Button } from '../components/button.tsx';
import { Empty } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Noted } from '../components/text.tsx';
import { type Models, pageUrlOfBilled } from '../resources/page-urls.ts';
import { lower } from '../resources/words.ts';
import { kindTitle } from '../sitemap.ts';
import { bucketUrl } from '../urls.ts';
import { costText, type ResourceCost } from './costs-model.ts';

const shownAtFirst = 20;
const mostShown = 1000;

export interface ResourceCostsProps {
  costs: readonly ResourceCost[];
  unit: string;
  places: number; // of amounts
  models: Models;
  isOpen: boolean; // the month or day is still running
}

export function ResourceCosts({ costs, unit, places, models, isOpen }: ResourceCostsProps) {
  const isWhole = useSignal(false);
  if (costs.length === 0) return <Empty text="No costs for this selection." />;
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
            {rest.length} more, {costText(restSum, places)} {unit} in total
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

type ColumnOptions = Omit<ResourceCostsProps, 'costs'>;

const columnsOf = ({ unit, places, models, isOpen }: ColumnOptions): Column<ResourceCost>[] => [
  {
    title: 'Resource',
    cell: ({ id, name, kind, exists, datacenter }) => {
      const page = kind === 'bucket' ? bucketUrl(id) : pageUrlOfBilled(models, kind, id, datacenter.id);
      const url = exists ? page : undefined;
      const title = lower(kindTitle(kind));
      return <Noted note={exists ? title : `${title}, deleted`}>{url ? <a href={url}>{name}</a> : name}</Noted>;
    },
  },
  { title: 'Datacenter', cell: ({ datacenter }) => datacenter.name },
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
