// A datacenter with too many servers to draw: a table of its LANs, with a bar for the servers in each.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Table } from '../../components/table.tsx';
import { type Question, usualQuestion } from '../reach/question.ts';
import { ReachPanel } from '../reach/reach-panel.tsx';
import type { VerdictView } from '../reach/verdict.ts';
import type { Crowd, CrowdedLan } from './crowd.ts';
import { unreadLandscape } from './landscape.ts';
import { mostServers } from './read-landscape.ts';

export interface CrowdViewProps {
  crowd: Crowd;
  canSend: boolean; // real packets
  urlOf(path: string): string;
}

const number = new Intl.NumberFormat('en');

export function CrowdView({ crowd, canSend, urlOf }: CrowdViewProps) {
  const { path, servers, running } = crowd;
  const landscape = useMemo(() => unreadLandscape(path), [path]);
  const question = useSignal<Question>(usualQuestion);
  const verdict = useSignal<VerdictView | undefined>(undefined);
  return (
    <div class="dc">
      <p class="lead">
        {`${number.format(servers)} servers, ${number.format(running)} running. `}
        {`The diagram shows up to ${mostServers} servers, so this table counts them by LAN. `}
        <a href={urlOf(`${path}/servers`)}>All servers</a>
      </p>
      <div class="dc-parts">
        <Counts crowd={crowd} urlOf={urlOf} />
        <ReachPanel
          landscape={landscape}
          question={question.value}
          verdict={verdict.value}
          canSend={canSend}
          urlOf={urlOf}
          onChange={(next) => {
            question.value = next;
            verdict.value = undefined;
          }}
          onVerdict={(next) => (verdict.value = next)}
        />
      </div>
    </div>
  );
}

function Counts({ crowd: { path, unconnected, lans }, urlOf }: Pick<CrowdViewProps, 'crowd' | 'urlOf'>) {
  const most = Math.max(1, ...lans.map((lan) => lan.servers));
  return (
    <div>
      <Table
        caption="Servers by LAN"
        rows={lans}
        keyOf={({ id }) => id}
        columns={[
          { title: 'LAN', cell: ({ id, name }) => <a href={urlOf(`${path}/lans/${id}`)}>{name}</a> },
          { title: 'Kind', cell: ({ isPublic }) => (isPublic ? 'public' : 'private') },
          { title: 'Servers', cell: (lan) => <Bar lan={lan} most={most} /> },
          { title: 'NICs', cell: ({ nics }) => number.format(nics) },
          { title: 'Other LANs', cell: othersText },
        ]}
      />
      {unconnected > 0 && <p class="lead">{`${number.format(unconnected)} servers are in no LAN.`}</p>}
    </div>
  );
}

const othersText = ({ others }: CrowdedLan): string =>
  others.map(({ name, servers }) => `${name}: ${number.format(servers)}`).join(', ') || '–';

const barWidth = 160;

function Bar({ lan: { servers, running }, most }: { lan: CrowdedLan; most: number }) {
  const scale = barWidth / most;
  return (
    <span class="dc-count">
      <svg width={barWidth} height={12} aria-hidden="true">
        <rect class="dc-all" width={servers * scale} height={12} rx={3} />
        <rect class="dc-running" width={running * scale} height={12} rx={3} />
      </svg>
      {`${number.format(servers)}, ${number.format(running)} running`}
    </span>
  );
}
