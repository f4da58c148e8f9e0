// The table of any collection: columns from the declaration, filter, sorting, selection and actions. It is on the page
// of the collection and in a tab of the parent's page.
import { useMemo } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { type LongColumn, LongTable } from '../components/long-table.tsx';
import { HeadActions } from '../components/page/page-head.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { Skeleton } from '../components/skeleton.tsx';
import { Failure } from '../components/states.tsx';
import { regionNowMs } from '../region-clock.ts';
import { go } from '../router.ts';
import { ageText, dateText } from '../times.ts';
import { ChosenActions, CollectionActions } from './actions/action-buttons.tsx';
import { hasRowMenu, RowMenu } from './actions/row-menu.tsx';
import { EmptyList } from './empty-list.tsx';
import type { ListColumn } from './extension.ts';
import { cellsOf, listViewOf } from './extensions.ts';
import { fieldOf, ListModel } from './list-model.ts';
import type { FieldSchema, Item, ResourceModel } from './model.ts';
import {
  isNaming,
  isUnderWay,
  itemUrl,
  modelAbove,
  nameOf,
  ownNameOf,
  placeUrl,
  regionOf,
  shownState,
} from './place.ts';
import { typeOf } from './schema-form/form-value.ts';
import { useFresh } from './use-fresh.ts';
import { State, shortValue } from './value.tsx';
import { fieldIn, labelIn, lower, wordsOf } from './words.ts';

export interface ResourceListProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  path: string; // of the collection, below the prefix
  region: string; // of new resources
}

export function ResourceList({ models, model, path, region }: ResourceListProps) {
  const signal = useAbortSignal();
  const list = useMemo(() => {
    const created = new ListModel(model, path, signal, listViewOf(model));
    created.begin(new URLSearchParams(location.search));
    created.onChange = () => keepInAddress(created.query);
    return created;
  }, []);
  const rows = list.shown.value;
  useFresh([model.prefix + path], () => list.reload(), list.rows.value.some(isUnderWay));
  const urlOf = (item: Item): string | undefined => itemUrl(models, model, path, item);
  const above = list.isAcross ? modelAbove(models, model) : undefined;
  const isEmpty = list.isKnown.value && list.rows.value.length === 0 && list.filter.value === '';
  return (
    <div class="resource-list">
      <HeadActions>
        <CollectionActions model={model} path={path} onDone={() => void list.reload()} />
      </HeadActions>
      <div class="list-bar">
        <Filter list={list} isHidden={isEmpty} />
        <p class="count" role="status">
          {list.isKnown.value && !isEmpty && countText(list)} {list.note.value}
        </p>
      </div>
      <ChosenActions models={models} list={list} path={path} />
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
        <EmptyList models={models} model={model} path={path} region={region} above={above} />
      ) : (
        <LongTable
          caption={model.titles}
          columns={columnsOf({ models, list, path, urlOf, above })}
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

// The address keeps the filter and the order for Back, Forward and a reload.
function keepInAddress(query: ListModel['query']): void {
  const url = new URL(location.href);
  for (const [name, text] of Object.entries(query))
    if (text === '') url.searchParams.delete(name);
    else url.searchParams.set(name, text);
  history.replaceState(history.state, '', url);
}

// `6 servers`, `2 of 6 servers`
function countText({ model, rows, shown, isComplete }: ListModel): string {
  const { length } = rows.value;
  const kind = lower(length === 1 && isComplete.value ? model.title : model.titles);
  const known = `${length.toLocaleString()} ${isComplete.value ? '' : 'and more '}${kind}`;
  return shown.value.length === length ? known : `${shown.value.length.toLocaleString()} of ${known}`;
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

interface Columns {
  models: readonly ResourceModel[];
  list: ListModel;
  path: string;
  urlOf(item: Item): string | undefined;
  above: ResourceModel | undefined;
}

function columnsOf({ models, list, path, urlOf, above }: Columns): LongColumn<Item>[] {
  const { model, rows } = list;
  const hasState = rows.value.some((item) => shownState(item) !== undefined);
  const [first, ...others] = propertiesOf(list).map((one, at) =>
    typeof one === 'object' ? addedColumn(list, one) : propertyColumn(list, one, at, hasState, above),
  );
  return [
    ...(first ? [{ ...first, cell: (item: Item) => <Named item={item} url={urlOf(item)} cell={first.cell} /> }] : []),
    ...(above ? [withinColumn(list, above)] : []),
    ...(hasState ? [stateColumn(list)] : []),
    ...others,
    ...(rows.value.some(createdOf) ? [ageColumn(list)] : []),
    ...(hasRowMenu(model) ? [menuColumn({ models, list, path })] : []),
  ];
}

function propertyColumn(
  list: ListModel,
  property: string,
  at: number,
  hasState: boolean,
  above: ResourceModel | undefined,
): LongColumn<Item> {
  const { model } = list;
  const schema = fieldIn(model.read, property);
  return {
    key: property,
    title: labelIn(model.read, property),
    cell: (item) => cellsOf(model, item)[property] ?? shortValue(property, fieldOf(item, property), schema),
    least: at === 0 ? (above ? 6 : 9) : shareOf(schema) < 1 ? 5 : 7, // room for more columns on a phone
    share: at === 0 ? 1.5 : shareOf(schema),
    isMinor: at > (hasState ? 0 : 1),
    isNumber: isNumber(schema),
    ...sorting(list, property),
  };
}

const addedColumn = (list: ListModel, { key, title, value, cell = value, least = 7, share = 1 }: ListColumn) => ({
  key,
  title,
  least,
  share,
  isMinor: true,
  cell: (item: Item) => cell(item, list.names),
  ...sorting(list, key),
});

const stateColumn = (list: ListModel): LongColumn<Item> => ({
  key: 'state',
  title: 'State',
  least: 7.5,
  share: 0.75,
  cell: (item) => <State state={shownState(item) ?? ''} />,
  ...sorting(list, 'state'),
});

const createdOf = ({ metadata }: Item): string | undefined =>
  typeof metadata?.createdDate === 'string' ? metadata.createdDate : undefined;

const ageColumn = (list: ListModel): LongColumn<Item> => ({
  key: 'age',
  title: 'Age',
  least: 5,
  share: 0.5,
  isMinor: true,
  cell(item) {
    const created = createdOf(item);
    if (created === undefined) return '–';
    return (
      <time dateTime={created} title={dateText(created)}>
        {ageText(created, regionNowMs())}
      </time>
    );
  },
  ...sorting(list, 'age'),
});

const menuColumn = ({ models, list, path }: Pick<Columns, 'models' | 'list' | 'path'>): LongColumn<Item> => ({
  key: 'menu',
  title: 'Actions',
  isUntitled: true,
  least: 2,
  share: 0,
  cell: (item) => (
    <RowMenu models={models} model={list.model} list={path} item={item} reload={() => void list.reload()} />
  ),
});

const isNumber = (schema: FieldSchema): boolean => ['integer', 'number'].includes(typeOf(schema) ?? '');

// Texts need more room than numbers, and lists more than texts.
const shareOf = (schema: FieldSchema): number =>
  typeOf(schema) === 'array' ? 1.5 : isNumber(schema) || typeOf(schema) === 'boolean' ? 0.75 : 1;

const withinColumn = (list: ListModel, above: ResourceModel): LongColumn<Item> => ({
  key: 'within',
  title: above.title,
  least: 5,
  share: 1.25,
  isMinor: true,
  ...sorting(list, 'within'),
  cell: ({ within }) =>
    within && (
      <a class="within" href={placeUrl(above, within.path.slice(above.prefix.length))} tabIndex={-1}>
        {within.name}
      </a>
    ),
});

const states = ['vmState', 'status']; // in the column with the state

// The name or id comes first. Some collections have no columns; they show the type.
function propertiesOf({ model, rows, view }: ListModel): readonly (string | ListColumn)[] {
  if (view) return listViewOf(model)?.columns ?? [];
  const columns = model.columns.filter((one) => !states.includes(one));
  const showsRegion = model.isRegional && !columns.includes('region') && rows.value.some(regionOf);
  const region = showsRegion ? ['region'] : [];
  if (isNaming(columns[0])) return [...columns, ...region];
  const first = rows.value.some((item) => ownNameOf(item) !== undefined) ? 'name' : 'id';
  return columns.length === 0 ? [first, 'type', ...region] : [first, ...columns, ...region];
}

const sorting = (list: ListModel, key: string): Pick<LongColumn<Item>, 'onSort' | 'sorted'> => ({
  onSort: () => void list.sortBy(key),
  sorted: list.order.value?.property !== key ? undefined : list.order.value.isDown ? 'descending' : 'ascending',
});

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
