// The landscape: each datacenter with its servers, coloured by their states.
import type { Resource } from '../components/fetched.ts';
import { resourceUrl } from '../urls.ts';
import type { Landscape } from './landscape-data.ts';
import type { Machine, Site } from './landscape-model.ts';
import { Panel } from './overview-panel.tsx';

const datacentersUrl = resourceUrl('cloudapi', '/datacenters');

export const LandscapePanel = ({ landscape }: { landscape: Resource<Landscape> }) => (
  <Panel title="Landscape" url={datacentersUrl} resource={landscape} what="the datacenters" rows={6}>
    {({ sites, hasMoreSites, hasMoreServers }) => (
      <>
        {sites.length === 0 && <p class="overview-none">There are no datacenters yet.</p>}
        <ul class="overview-sites">
          {sites.map((site) => (
            <SiteCard key={site.id} site={site} />
          ))}
        </ul>
        {(hasMoreSites || hasMoreServers) && (
          <p class="overview-none">
            {hasMoreSites ? 'There are more datacenters: ' : 'There are more servers: '}
            <a href={hasMoreSites ? datacentersUrl : resourceUrl('cloudapi', '/datacenters/-/servers')}>show all</a>
          </p>
        )}
      </>
    )}
  </Panel>
);

const SiteCard = ({ site: { name, location, path, machines, summary } }: { site: Site }) => (
  <li class="overview-site">
    <p>
      <a class="overview-link" href={resourceUrl('cloudapi', path)}>
        {name}
      </a>
      <small class="overview-note">{location}</small>
      <small class="overview-summary">{summary || 'no servers'}</small>
    </p>
    {machines.length > 0 && (
      <ul class="overview-machines" aria-label={`Servers of ${name}`}>
        {machines.map((machine) => (
          <MachineChip key={machine.id} machine={machine} />
        ))}
      </ul>
    )}
  </li>
);

const MachineChip = ({ machine: { name, path, look, state } }: { machine: Machine }) => (
  <li>
    <a
      class={`overview-machine ${look}`}
      href={resourceUrl('cloudapi', path)}
      title={`${name}: ${state}`}
      aria-label={`${name}, ${state}`}
    >
      <span class="overview-dot" aria-hidden="true" />
      <span class="overview-text">{name}</span>
      {look !== 'good' && <span class="overview-note">{state}</span>}
    </a>
  </li>
);
