// The ways between the pages, by product. A link is current on all pages whose address begins with its own.
import { Icon, type IconName } from './components/icon.tsx';
import { visit } from './router.ts';
import {
  activityUrl,
  costsUrl,
  docsUrl,
  limitsUrl,
  logsUrl,
  monitoringUrl,
  overviewUrl,
  requestsUrl,
  tokensUrl,
} from './urls.ts';

interface Part {
  title: string;
  url: string;
  icon: IconName;
}

// A new product has its own group, or a line in the group of what it belongs to.
const groups: readonly { title: string; parts: readonly Part[] }[] = [
  {
    title: 'Region',
    parts: [
      { title: 'Overview', url: overviewUrl(), icon: 'overview' },
      { title: 'Requests', url: requestsUrl(), icon: 'requests' },
      { title: 'Activity', url: activityUrl(), icon: 'activity' },
      { title: 'Limits', url: limitsUrl(), icon: 'limits' },
      { title: 'Costs', url: costsUrl(), icon: 'costs' },
    ],
  },
  { title: 'Compute', parts: [{ title: 'Auto scaling', url: docsUrl('autoscaling'), icon: 'api' }] },
  {
    title: 'Observability',
    parts: [
      { title: 'Monitoring', url: monitoringUrl(), icon: 'monitoring' },
      { title: 'Logs', url: logsUrl(), icon: 'logs' },
    ],
  },
  { title: 'Data', parts: [{ title: 'Event streaming', url: docsUrl('streaming'), icon: 'api' }] },
  {
    title: 'Access',
    parts: [
      { title: 'Tokens', url: tokensUrl(), icon: 'token' },
      { title: 'API pages', url: docsUrl(), icon: 'api' },
    ],
  },
];

export const Navigation = () => (
  <nav class="side" aria-label="Console">
    {groups.map(({ title, parts }) => (
      <div key={title} class="group">
        <p>{title}</p>
        {parts.map((part) => (
          <a key={part.url} href={part.url} aria-current={isWithin(part.url) ? 'page' : undefined}>
            <Icon name={part.icon} />
            {part.title}
          </a>
        ))}
      </div>
    ))}
  </nav>
);

function isWithin(url: string): boolean {
  const here = visit.value.path.replace(/\/$/, '');
  return here === url || (url !== overviewUrl() && here.startsWith(`${url}/`));
}
