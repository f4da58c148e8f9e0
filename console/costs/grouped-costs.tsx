// Costs by resource, or by groups of resources. A group opens the costs of its resources.
import { Button } from '../components/button.tsx';
import { Select } from '../components/field.tsx';
import { type Column, Table } from '../components/table.tsx';
import { kindTitle } from '../sitemap.ts';
import type { CostsQuestion, MonthCosts } from './billing-api.ts';
import { amountNumber, amountOf, costText, groupingsOf } from './costs-model.ts';
import { type CostFormat, ResourceCosts } from './resource-costs.tsx';

type Group = NonNullable<MonthCosts['groups']>[number];

export interface GroupedCostsProps extends CostFormat {
  costs: MonthCosts;
  chosen: CostsQuestion;
  choose(next: CostsQuestion): void;
}

const mostShown = 1000;

export function GroupedCosts({ costs, chosen, choose, ...format }: GroupedCostsProps) {
  const { group = 'resource', within, limit, ...others } = chosen;
  const { groups, labels, resources, total } = costs;
  const open = groups?.find(({ key }) => key === within);
  return (
    <>
      <div class="costs-grouping">
        <Select
          title="Group by"
          value={group}
          options={groupingsOf(labels)}
          onChange={(one) => choose({ ...others, ...(one !== 'resource' && { group: one }) })}
        />
      </div>
      {groups && (
        <Table
          caption="Costs by group"
          rows={groups}
          keyOf={({ key }) => key}
          columns={columnsOf(format, group, amountNumber(amountOf(total)), within, (key) =>
            choose({ ...others, group, ...(key !== within && { within: key }) }),
          )}
        />
      )}
      {(!groups || open) && (
        <>
          {open && <h3>{titleOf(group, open)}</h3>}
          <ResourceCosts
            resources={resources}
            onMore={limit === undefined ? () => choose({ ...chosen, limit: mostShown }) : undefined}
            {...format}
          />
        </>
      )}
    </>
  );
}

function titleOf(grouping: string, { key, title }: Group): string {
  if (grouping === 'kind') return kindTitle(key);
  return title === '' ? 'Without this label' : title;
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

const columnsOf = (
  { unit, places, isOpen }: CostFormat,
  grouping: string,
  total: number,
  opened: string | undefined,
  onOpen: (key: string) => void,
): Column<Group>[] => [
  {
    title: 'Group',
    cell: (one) => (
      <Button
        text={titleOf(grouping, one)}
        look="plain"
        isPressed={opened === one.key}
        onPress={() => onOpen(one.key)}
      />
    ),
  },
  { title: 'Resources', look: 'number', cell: ({ count }) => count.toLocaleString('en') },
  { title: 'Share', cell: ({ amount }) => <Share of={total > 0 ? amountNumber(amountOf(amount)) / total : 0} /> },
  {
    title: isOpen ? 'Cost so far' : 'Cost',
    look: 'number',
    cell: ({ amount }) => <strong class="costs-amount">{`${costText(amountOf(amount), places)} ${unit}`}</strong>,
  },
];

const Share = ({ of }: { of: number }) => (
  <>
    <span class="meter" aria-hidden="true">
      <span style={{ width: `${of * 100}%` }} />
    </span>
    <small>{percent.format(of)}</small>
  </>
);
