// The table of any collection: columns from the declaration, filter, sorting, selection and actions. It is on the page
// of the collection and in a tab of the parent's page.
import { useMemo } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { type LongColumn, LongTable } from '../components/long-table.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { Skeleton } from '../components/skeleton.tsx';
import { Failure } from '../components/states.tsx';
import { go } from '../router.ts';
import { ChosenActions, CollectionActions } from './actions/action-buttons.tsx';
import { EmptyList } from './empty-list.tsx';
import { cellsOf } from './extensions.ts';
import { fieldOf, ListModel } from './list-model.ts';
import type { FieldSchema, Item, ResourceModel } from './model.ts';
import { isNaming, isUnderWay, itemUrl, modelAbove, nameOf, ownNameOf, placeUrl, regionOf, stateOf } from './place.ts';
import { useFresh } from './use-fresh.ts';
import { State, shortValue } from './value.tsx';
import { fieldIn, labelIn, wordsOf } from './words.ts';

export interface ResourceListProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  path: string; // of the collection, below the prefix
}

export function ResourceList({ models, model, path }: ResourceListProps) {
  const signal = useAbortSignal();
  const list = useMemo(() => {
    const created = new ListModel(model, path, signal);
    created.filter.value = new URLSearchParams(location.search).get('filter') ?? '';
    created.onFilter = keepFilter;
    return created;
  }, []);
  const rows = list.shown.value;
  useFresh([model.prefix + path], () => list.reload(), list.rows.value.some(isUnderWay));
  const urlOf = (item: Item): string | undefined => itemUrl(models, model, path, item);
  const above = list.isAcross ? modelAbove(models, model) : undefined;
  const isEmpty = list.isKnown.value && list.rows.value.length === 0 && list.filter.value === '';
  return (
    <div class="resource-list">
      <div class="list-bar">
        <Filter list={list} isHidden={isEmpty} />
        <p class="count" role="status">
          {list.isKnown.value && !isEmpty && countText(list)} {list.note.value}
        </p>
        <CollectionActions model={model} path={path} onDone={() => void list.reload()} />
      </div>
      <ChosenActions list={list} path={path} />
      {list.failure.value !== undefined ? (
        <Failure
          title={`Could not load the ${model.titles}.`}
          error={list.failure.value}
          retry={() => {
            list.failure.value = undefined;
            void list.reload();
          }}
        />
      ) : !list.isKnown.value ? (
        <Skeleton rows={8} what={model.titles} />
      ) : isEmpty ? (
        <EmptyList models={models} model={model} path={path} above={above} />
      ) : (
        <LongTable
          caption={model.titles}
          columns={columnsOf(list, urlOf, above)}
          rows={rows}
          keyOf={(item) => list.keyOf(item)}
          labelOf={nameOf}
          onOpen={(item) => {
            const url = urlOf(item);
            if (url !== undefined) go(url);
          }}
          {...(model.remove && { chosen: list.chosen.value })}
          onChoose={(keys, isChosen) => list.choose(keys, isChosen)}
          onEnd={() => void list.loadMore()}
        >
          {rows.length === 0 && <p class="long-note">No matches for “{list.filter.value}”.</p>}
        </LongTable>
      )}
    </div>
  );
}

// The address keeps the filter for Back and Forward.
function keepFilter(text: string): void {
  const url = new URL(location.href);
  if (text === '') url.searchParams.delete('filter');
  else url.searchParams.set('filter', text);
  history.replaceState(history.state, '', url);
}

function countText({ rows, shown, isComplete }: ListModel): string {
  const more = isComplete.value ? '' : ' and more';
  const known = rows.value.length.toLocaleString();
  return shown.value.length === rows.value.length
    ? `${known}${more}`
    : `${shown.value.length.toLocaleString()} of ${known}${more}`;
}

function Filter({ list, isHidden }: { list: ListModel; isHidden: boolean }) {
  return (
    <label class="list-filter" hidden={isHidden}>
      <Icon name="search" />
      <span class="unseen">Filter by {wordsOf(list.filtered)}</span>
      <input
        type="search"
        placeholder={`Filter by ${wordsOf(list.filtered).toLowerCase()}`}
        value={list.filter.value}
        onInput={(event) => list.setFilter(event.currentTarget.value)}
      />
    </label>
  );
}

function columnsOf(
  list: ListModel,
  urlOf: (item: Item) => string | undefined,
  above: ResourceModel | undefined,
): LongColumn<Item>[] {
  const { model } = list;
  const properties = propertiesOf(list);
  const hasState = list.rows.value.some((item) => stateOf(item) !== undefined);
  const addsState = hasState && !properties.includes('status');
  const detailedState = properties.find((one) => one === 'vmState' || one === 'status'); // more specific than the state
  const columns = properties.map((property, at): LongColumn<Item> => {
    const schema = fieldIn(model.read, property);
    const cell = (item: Item) =>
      cellsOf(model, item)[property] ?? shortValue(property, fieldOf(item, property), schema);
    return {
      key: property,
      title: labelIn(model.read, property),
      cell: at === 0 ? (item) => <Named item={item} url={urlOf(item)} cell={cell} /> : cell,
      least: at === 0 ? (above ? 7.5 : 12) : 7, // leaves room for the parent column on a phone
      share: at === 0 ? 2 : shareOf(schema),
      isMinor: at > (hasState ? 0 : 1) && property !== detailedState,
      onSort: () => void list.sortBy(property),
      sorted: sortedBy(list, property),
    };
  });
  return [
    ...columns.slice(0, 1),
    ...(above ? [withinColumn(list, above)] : []),
    ...columns.slice(1),
    ...(addsState
      ? [
          {
            key: 'state',
            title: 'State',
            least: 9,
            share: 0.75,
            isMinor: detailedState !== undefined,
            cell: (item: Item) => <State state={stateOf(item) ?? ''} />,
          },
        ]
      : []),
  ];
}

// Texts need more room than numbers, and lists more than texts.
const shareOf = ({ type }: FieldSchema): number =>
  type === 'array' ? 1.5 : type === 'integer' || type === 'number' || type === 'boolean' ? 0.75 : 1;

const withinColumn = (list: ListModel, above: ResourceModel): LongColumn<Item> => ({
  key: 'within',
  title: above.title,
  least: 6,
  onSort: () => void list.sortBy('within'),
  sorted: sortedBy(list, 'within'),
  cell: ({ within }) =>
    within && (
      <a class="within" href={placeUrl(above, within.path.slice(above.prefix.length))} tabIndex={-1}>
        {within.name}
      </a>
    ),
});

// The name or id comes first. Some collections have no columns; they show the type.
function propertiesOf({ model, rows }: ListModel): readonly string[] {
  const { columns } = model;
  const showsRegion = model.isRegional && !columns.includes('region') && rows.value.some(regionOf);
  const region = showsRegion ? ['region'] : [];
  if (isNaming(columns[0])) return [...columns, ...region];
  const first = rows.value.some((item) => ownNameOf(item) !== undefined) ? 'name' : 'id';
  return columns.length === 0 ? [first, 'type', ...region] : [first, ...columns, ...region];
}

const sortedBy = ({ order }: ListModel, property: string): LongColumn<Item>['sorted'] =>
  order.value?.property !== property ? undefined : order.value.isDown ? 'descending' : 'ascending';

interface NamedProps {
  item: Item;
  url: string | undefined;
  cell(item: Item): preact.ComponentChildren;
}

// The first cell links to the page. Items without a name show their id.
function Named({ item, url, cell }: NamedProps) {
  const text = ownNameOf(item) === undefined ? <code>{item.id}</code> : cell(item);
  return url === undefined ? (
    <span>{text}</span>
  ) : (
    <a href={url} tabIndex={-1}>
      {text}
    </a>
  );
}
