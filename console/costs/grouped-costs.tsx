// Costs by resource, or by groups of resources. A group opens the costs of its resources.
import { useSignal } from '@preact/signals';
import { Button } from '../components/button.tsx';
import { Select } from '../components/field.tsx';
import { type Column, Table } from '../components/table.tsx';
import { kindTitle } from '../sitemap.ts';
import type { Label } from './billing-api.ts';
import { type CostGroup, type Grouping, groupingsOf, groupKeyOf, groupsOf } from './cost-groups.ts';
import { costText, type ResourceCost } from './costs-model.ts';
import { ResourceCosts, type ResourceCostsProps } from './resource-costs.tsx';

export function GroupedCosts({ labels, ...props }: ResourceCostsProps & { labels: readonly Label[] }) {
  const grouping = useSignal<Grouping>('resource');
  const opened = useSignal<string | undefined>(undefined);
  const keyOf = groupKeyOf(grouping.value, labels);
  const isGrouped = grouping.value !== 'resource';
  const groups = isGrouped ? groupsOf(props.costs, keyOf, titleIn(grouping.value)) : [];
  const open = groups.find(({ key }) => key === opened.value);
  const shown = open ? props.costs.filter((one) => keyOf(one) === open.key) : props.costs;
  return (
    <>
      <div class="costs-grouping">
        <Select
          title="Group by"
          value={grouping.value}
          options={groupingsOf(labels)}
          onChange={(one) => {
            grouping.value = one as Grouping;
            opened.value = undefined;
          }}
        />
      </div>
      {isGrouped && (
        <Table
          caption="Costs by group"
          rows={groups}
          keyOf={({ key }) => key}
          columns={columnsOf(props, opened.value, (key) => {
            opened.value = opened.value === key ? undefined : key;
          })}
        />
      )}
      {(!isGrouped || open) && (
        <>
          {open && <h3>{open.title}</h3>}
          <ResourceCosts key={open?.key ?? ''} {...props} costs={shown} />
        </>
      )}
    </>
  );
}

const titleIn =
  (grouping: Grouping) =>
  (key: string, { datacenter }: ResourceCost): string => {
    if (grouping === 'kind') return kindTitle(key);
    if (grouping === 'datacenter') return datacenter.name;
    return key === '' ? 'Without this label' : key;
  };

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

const columnsOf = (
  { unit, places, isOpen }: ResourceCostsProps,
  opened: string | undefined,
  onOpen: (key: string) => void,
): Column<CostGroup>[] => [
  {
    title: 'Group',
    cell: ({ key, title }) => (
      <Button text={title} look="plain" isPressed={opened === key} onPress={() => onOpen(key)} />
    ),
  },
  { title: 'Resources', cell: ({ count }) => count.toLocaleString('en') },
  {
    title: 'Share',
    cell: ({ share }) => (
      <>
        <span class="meter" aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
        <small>{percent.format(share)}</small>
      </>
    ),
  },
  {
    title: isOpen ? 'Cost so far' : 'Cost',
    cell: ({ amount }) => <strong class="costs-amount">{`${costText(amount, places)} ${unit}`}</strong>,
  },
];
