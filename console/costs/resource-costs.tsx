// The costs by resource, the most expensive first.
import { Button } from '../components/button.tsx';
import { Empty } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Noted } from '../components/text.tsx';
import { type Models, pageUrlOfBilled } from '../resources/page-urls.ts';
import { lower } from '../resources/words.ts';
import { kindTitle } from '../sitemap.ts';
import { bucketUrl } from '../urls.ts';
import type { MonthCosts, ResourceCost } from './billing-api.ts';
import { amountOf, costText, useText } from './costs-model.ts';

export interface CostFormat {
  unit: string;
  places: number; // of amounts
  models: Models;
  isOpen: boolean; // the month or day is still running
}

export interface ResourceCostsProps extends CostFormat {
  resources: MonthCosts['resources'];
  onMore: (() => void) | undefined; // absent: the list has its full length
}

export function ResourceCosts({ resources: { count, rest, items }, onMore, ...format }: ResourceCostsProps) {
  if (count === 0) return <Empty text="No costs for this selection." />;
  return (
    <>
      <Table
        caption="Costs by resource"
        rows={items}
        keyOf={({ id, product, datacenter }) => `${datacenter.id} ${id} ${product}`}
        columns={columnsOf(format)}
      />
      {count > items.length && (
        <div class="bar costs-rest">
          <p>
            {count - items.length} more, {costText(amountOf(rest), format.places)} {format.unit} in total
          </p>
          {onMore && <Button text="Show more" look="plain" onPress={onMore} />}
        </div>
      )}
    </>
  );
}

const columnsOf = ({ unit, places, models, isOpen }: CostFormat): Column<ResourceCost>[] => [
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
          <small key={use.meter}>{useText(use)}</small>
        ))}
      </>
    ),
  },
  {
    title: isOpen ? 'Cost so far' : 'Cost',
    look: 'number',
    cell: ({ amount }) => <strong class="costs-amount">{`${costText(amountOf(amount), places)} ${unit}`}</strong>,
  },
];
