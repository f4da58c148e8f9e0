// The tab Diagram of a datacenter: its content as a diagram or a list, or only counts by LAN if there are too many
// servers.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Resource } from '../../components/fetched.ts';
import { useAbortSignal } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { firstServer } from '../../resources/client-commands/page-commands.ts';
import type { TabProps } from '../../resources/extension.ts';
import { useFresh } from '../../resources/use-fresh.ts';
import { resourceUrl } from '../../urls.ts';
import { canSendReal, nicAt, type Question, usualQuestion } from '../reach/question.ts';
import { type End, ReachPanel } from '../reach/reach-panel.tsx';
import { marksOf, type VerdictView } from '../reach/verdict.ts';
import { CrowdView } from './crowd-view.tsx';
import { Diagram } from './diagram.tsx';
import { graphOf } from './graph.ts';
import { type Landscape, lookOf } from './landscape.ts';
import { LandscapeList } from './landscape-list.tsx';
import { trafficOfEdges } from './live-traffic.ts';
import { noMarks } from './marks.ts';
import { type Found, readLandscape } from './read-landscape.ts';
import { useRates } from './use-rates.ts';

export function DiagramTab({ item, path, facts, session }: TabProps) {
  const signal = useAbortSignal();
  const found = useMemo(() => new Resource((given) => readLandscape(path, given), signal), []);
  const answer = found.answer.value;
  useFresh([path], () => found.reload(), answer !== undefined && 'value' in answer && isUnderWay(answer.value));
  const urlOf = (at: string): string => resourceUrl('cloudapi', at);
  const name = String(item.properties.name ?? item.id);
  const canSend = canSendReal({ facts, session });
  return (
    <Loaded resource={found} what="the datacenter">
      {(value) =>
        'crowd' in value ? (
          <CrowdView crowd={value.crowd} canSend={canSend} urlOf={urlOf} />
        ) : (
          <Picture name={name} landscape={value.landscape} canSend={canSend} urlOf={urlOf} />
        )
      }
    </Loaded>
  );
}

const mostWatched = 60;

// A large datacenter is read again only after the region reports a change.
function isUnderWay(found: Found): boolean {
  if ('crowd' in found || found.landscape.servers.length > mostWatched) return false;
  const { servers, lans, balancers, gateways } = found.landscape;
  return [...servers, ...lans, ...balancers, ...gateways].some(({ state }) => lookOf(state) === 'waits');
}

interface PictureProps {
  name: string;
  landscape: Landscape;
  canSend: boolean; // real packets
  urlOf(path: string): string;
}

function Picture({ name, landscape, canSend, urlOf }: PictureProps) {
  const isList = useSignal(false);
  const question = useSignal<Question>(usualQuestion);
  const verdict = useSignal<VerdictView | undefined>(undefined);
  const picking = useSignal<End | undefined>(undefined);
  const graph = useMemo(() => graphOf(landscape), [landscape]);
  const marks = useMemo(
    () => (verdict.value ? marksOf(verdict.value, landscape, graph) : noMarks),
    [verdict.value, graph],
  );
  const rates = useRates(landscape.path).value;
  const traffic = useMemo(() => trafficOfEdges(rates, landscape, graph), [rates, graph]);
  if (isEmpty(landscape)) return <EmptyDatacenter path={landscape.path} urlOf={urlOf} />;
  const ask = (next: Question): void => {
    question.value = next;
    verdict.value = undefined;
  };
  const pick = (path: string): boolean => {
    const end = picking.value;
    if (end === undefined) return false;
    const nic = nicAt(path, landscape);
    if (nic !== undefined) {
      picking.value = undefined;
      ask({ ...question.value, [end]: nic });
    }
    return true;
  };
  return (
    <div class="dc">
      <div class="dc-bar-top">
        <p class="dc-legend">{legendOf(landscape)}</p>
        <button type="button" class="plain" aria-pressed={isList.value} onClick={() => (isList.value = !isList.value)}>
          As list
        </button>
      </div>
      <div class="dc-parts">
        {isList.value ? (
          <LandscapeList landscape={landscape} rates={rates} urlOf={urlOf} />
        ) : (
          <Diagram
            name={name}
            landscape={landscape}
            graph={graph}
            marks={marks}
            traffic={traffic}
            isPicking={picking.value !== undefined}
            urlOf={urlOf}
            onPick={pick}
          />
        )}
        <ReachPanel
          landscape={landscape}
          question={question.value}
          picking={picking.value}
          verdict={verdict.value}
          canSend={canSend}
          urlOf={urlOf}
          onChange={ask}
          onPick={(end) => {
            picking.value = end;
            if (end) isList.value = false;
          }}
          onVerdict={(next) => (verdict.value = next)}
        />
      </div>
    </div>
  );
}

const isEmpty = ({ lans, servers, volumes, gateways, balancers }: Landscape): boolean =>
  [lans, servers, volumes, gateways, balancers].every(({ length }) => length === 0);

function legendOf({ lans, servers, balancers, gateways, volumes }: Landscape): string {
  const attached = servers.reduce((sum, one) => sum + one.volumes.length, 0);
  const counts: [number, string, string][] = [
    [lans.length, 'LAN', 'LANs'],
    [servers.length, 'server', 'servers'],
    [attached + volumes.length, 'volume', 'volumes'],
    [balancers.length, 'load balancer', 'load balancers'],
    [gateways.length, 'NAT gateway', 'NAT gateways'],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
    .join(' · ');
}

function EmptyDatacenter({ path, urlOf }: Pick<PictureProps, 'urlOf'> & { path: string }) {
  const id = path.split('/').at(-1);
  return (
    <Empty text="This datacenter is empty. Create a server, or a LAN for several servers.">
      <p>
        <a href={urlOf(`${path}/servers/new`)}>Create server</a> · <a href={urlOf(`${path}/lans/new`)}>Create LAN</a>
      </p>
      <pre>{firstServer(id ?? '')}</pre>
    </Empty>
  );
}
