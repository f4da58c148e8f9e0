// All pages below /console/resources: the address names the collection, resource or form.

import { call } from '../api.ts';
import { Breadcrumbs, type Crumb } from '../components/page/breadcrumbs.tsx';
import { PageHead } from '../components/page/page-head.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Tabs } from '../components/tabs/tabs.tsx';
import type { PageProps } from '../router.ts';
import { siblingPages } from '../sitemap.ts';
import { extensionsOf } from './extensions.ts';
import { FormPage } from './form/form-page.tsx';
import { ItemPage } from './item-page.tsx';
import { type Item, type ResourceModel, resourceModels } from './model.ts';
import { findPlace, nameOf, type Place, placeUrl, type Step, shortId } from './place.ts';
import { ResourceList } from './resource-list.tsx';

export function ResourcePage(props: PageProps) {
  const models = useResource(() => resourceModels());
  return (
    <Loaded resource={models} what="the resource types">
      {(known) => <At {...props} models={known} />}
    </Loaded>
  );
}

function At({ params, models, session, facts }: PageProps & { models: readonly ResourceModel[] }) {
  const place = findPlace(models, params.service ?? '', (params.path ?? '').replace(/\/$/, ''));
  if (!place)
    return (
      <>
        <h1 tabIndex={-1}>Not found</h1>
        <p class="lead">No resource or list has this address.</p>
      </>
    );
  return (
    <div class="resource-page">
      <Breadcrumbs crumbs={crumbsOf(place)} />
      {place.view === 'list' ? (
        <ListPage place={place} models={models} session={session} facts={facts} />
      ) : place.view === 'item' ? (
        <ItemPage place={place} models={models} session={session} facts={facts} />
      ) : (
        <FormPage place={place} models={models} facts={facts} />
      )}
    </div>
  );
}

type ListPageProps = Omit<PageProps, 'params'> & { place: Place; models: readonly ResourceModel[] };

function ListPage({ place, models, session, facts }: ListPageProps) {
  const { model, path } = place;
  const url = placeUrl(model, path);
  const siblings = siblingPages(url).map((one) => ({ ...one, name: one.url }));
  return (
    <>
      <PageHead title={model.titles} />
      {siblings.length > 0 && <Tabs label="Related pages" tabs={siblings} current={url} />}
      {extensionsOf(model.name).map(
        ({ lead: Lead }, at) => Lead && <Lead key={at} params={place.params} session={session} facts={facts} />,
      )}
      <ResourceList models={models} model={model} path={path} region={facts.home} />
    </>
  );
}

function crumbsOf({ model, above, view, path }: Place): Crumb[] {
  const own: Step[] = view === 'new' || view === 'edit' ? [{ model, path, isItem: view === 'edit' }] : [];
  return [...above, ...own].map((step) => ({
    text: step.isItem ? <CrumbName path={step.model.prefix + step.path} /> : step.model.titles,
    url: placeUrl(step.model, step.path),
  }));
}

// Shows the id until the name is loaded.
function CrumbName({ path }: { path: string }) {
  const item = useResource((signal) => call<Item>('GET', path, { signal }));
  const answer = item.answer.value;
  const id = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  return <span>{answer && 'value' in answer && answer.value.properties ? nameOf(answer.value) : shortId(id)}</span>;
}
