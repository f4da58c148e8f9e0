// The page of one resource: properties, nested collections, activity, JSON, and the tabs of extensions.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { ActivityOf } from '../activity/activity-of.tsx';
import { ApiError, call } from '../api.ts';
import { Resource } from '../components/fetched.ts';
import { HeadActions } from '../components/page/page-head.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { Skeleton } from '../components/skeleton.tsx';
import { Failure } from '../components/states.tsx';
import { type TabLink, Tabs } from '../components/tabs/tabs.tsx';
import { Section } from '../components/text.tsx';
import { go, type PageProps, tab } from '../router.ts';
import { CollectionActions, ItemActions } from './actions/action-buttons.tsx';
import type { Tab, TabProps } from './extension.ts';
import { cellsOf, extensionsOf } from './extensions.ts';
import { Metadata } from './metadata.tsx';
import type { Item, ResourceModel } from './model.ts';
import { filled, isUnderWay, ownNameOf, type Place, placeUrl, regionOf, shownState } from './place.ts';
import { ResourceList } from './resource-list.tsx';
import { useFresh } from './use-fresh.ts';
import { Properties, State } from './value.tsx';
import { fieldIn, isSecretName, labelIn, lower } from './words.ts';

export interface ItemPageProps extends Omit<PageProps, 'params'> {
  models: readonly ResourceModel[];
  place: Place;
}

export function ItemPage(props: ItemPageProps) {
  const { model, path } = props.place;
  const signal = useAbortSignal();
  const depth = Math.max(1, ...extensionsOf(model.name).map((one) => one.depth ?? 1));
  const resource = useMemo(
    () =>
      new Resource((given) => call<Item>('GET', `${model.prefix}${path}?depth=${depth}`, { signal: given }), signal),
    [],
  );
  const answer = resource.answer.value;
  const item = answer && 'value' in answer ? whole(answer.value) : undefined;
  useFresh([model.prefix + path], () => resource.reload(), item !== undefined && isUnderWay(item));
  if (answer && 'error' in answer)
    return (
      <>
        <h1 tabIndex={-1}>{model.title}</h1>
        <Failure
          title={
            answer.error instanceof ApiError && answer.error.status === 404
              ? `This ${lower(model.title)} does not exist.`
              : `Could not load the ${lower(model.title)}.`
          }
          error={answer.error}
          retry={() => void resource.reload()}
        />
      </>
    );
  if (!item)
    return (
      <>
        <h1 tabIndex={-1} class="waits">
          {model.title}
        </h1>
        <Skeleton rows={8} what={model.title} />
      </>
    );
  return <LoadedItem {...props} item={item} reload={() => void resource.reload()} />;
}

const whole = (item: Item): Item => ({ ...item, properties: item.properties ?? {} });

type LoadedProps = ItemPageProps & { item: Item; reload(): void };

function LoadedItem(props: LoadedProps) {
  const { models, place, item, reload } = props;
  const { model, path } = place;
  const state = shownState(item);
  const tabs = tabsOf(props);
  const current = tabs.find(({ name }) => name === tab.value) ?? tabs[0];
  return (
    <div class="item-page">
      <div class="item-head">
        <div class="item-name">
          <h1 tabIndex={-1}>{ownNameOf(item) ?? model.title}</h1>
          <p class="item-states" aria-live="polite">
            {state !== undefined && <State state={state} />}
          </p>
          <p class="item-id">
            {model.title} <code>{item.id}</code>
          </p>
        </div>
        <ItemActions
          models={models}
          model={model}
          item={item}
          path={path}
          reload={reload}
          onRemoved={() => go(placeUrl(model, path.slice(0, path.lastIndexOf('/'))))}
        />
      </div>
      {extensionsOf(model.name).map(({ head: Head }, at) => Head && <Head key={at} {...tabProps(props)} />)}
      <Tabs
        label={`Views of ${model.title}`}
        tabs={tabs.map(
          ({ name, title }, at): TabLink => ({
            name,
            title,
            url: placeUrl(model, path, at === 0 ? {} : { tab: name }),
          }),
        )}
        current={current?.name ?? ''}
      />
      {!current?.isList && <CreateInMain {...props} />}
      <div key={current?.name}>{current?.draw()}</div>
    </div>
  );
}

// A tab with a list has the button that creates in this list instead.
function CreateInMain({ models, place: { model, params }, reload }: LoadedProps) {
  const name = extensionsOf(model.name).find(({ mainList }) => mainList)?.mainList;
  const list = models.find(
    ({ service, collection }) => service === model.service && collection === `${model.item}/${name}`,
  );
  if (!list) return null;
  return (
    <HeadActions>
      <CollectionActions model={list} path={filled(list.collection, params)} onDone={reload} />
    </HeadActions>
  );
}

interface Drawn {
  name: string;
  title: string;
  isList?: boolean;
  draw(): ComponentChildren;
}

// Properties, nested collections, tabs of extensions, activity and JSON, unless an extension has another order.
function tabsOf(props: LoadedProps): Drawn[] {
  const { models, place, item, facts } = props;
  const { model } = place;
  const lists = models
    .filter(({ service, parent }) => service === model.service && parent === model.collection)
    .map((child): Drawn => {
      const path = filled(child.collection, place.params);
      return {
        name: child.collection.split('/').at(-1) ?? '',
        title: child.titles,
        isList: true,
        draw: () => <ResourceList models={models} model={child} path={path} region={regionOf(item) ?? facts.home} />,
      };
    });
  const added = extensionsOf(model.name)
    .flatMap(({ tabs = [] }) => tabs)
    .filter((one) => one.shows?.(item) ?? true);
  const tabs = [
    { name: 'properties', title: 'Properties', draw: () => <Overview {...props} /> },
    ...lists,
    ...added.map((one) => drawnTab(one, props)),
    { name: 'activity', title: 'Activity', draw: () => <ActivityOf path={model.prefix + place.path} id={item.id} /> },
    { name: 'json', title: 'JSON', draw: () => <JsonView item={item} /> },
  ];
  const firsts = extensionsOf(model.name).flatMap(({ firstTabs = [] }) => firstTabs);
  const orderOf = ({ name }: Drawn): number => (firsts.includes(name) ? firsts.indexOf(name) : firsts.length);
  return tabs.sort((a, b) => orderOf(a) - orderOf(b));
}

const tabProps = ({ place: { model, path }, item, session, facts, reload }: LoadedProps): TabProps => ({
  resource: model,
  item,
  path: model.prefix + path,
  session,
  facts,
  reload,
});

function drawnTab({ name, title, view: View }: Tab, props: LoadedProps): Drawn {
  return { name, title, draw: () => <View {...tabProps(props)} /> };
}

// Secrets that the API never returns are left out.
const shownProperties = ({ properties }: Item): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([name, value]) => value !== null || !isSecretName(name)));

const isUnset = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

function Overview(props: LoadedProps) {
  const { item, place } = props;
  const { model } = place;
  const values = Object.entries(shownProperties(item));
  const known = Object.fromEntries(values.filter(([, value]) => !isUnset(value)));
  const unset = values
    .filter(([name, value]) => isUnset(value) && fieldIn(model.read, name)['x-asked'] !== false)
    .map(([name]) => labelIn(model.read, name));
  return (
    <>
      {extensionsOf(model.name).map(({ facts: Facts }, at) => Facts && <Facts key={at} {...tabProps(props)} />)}
      <Section title="Properties">
        <Properties values={known} schema={model.read} cells={cellsOf(model, item)} />
        {unset.length > 0 && <p class="unset">Not set: {unset.join(', ')}</p>}
      </Section>
      {item.metadata && Object.keys(item.metadata).length > 0 && (
        <details class="part metadata">
          <summary>Metadata</summary>
          <Metadata values={item.metadata} />
        </details>
      )}
    </>
  );
}

const JsonView = ({ item }: { item: Item }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
  <pre class="long-text whole" tabIndex={0}>
    {JSON.stringify(item, null, 2)}
  </pre>
);
