// The nodes of the diagram, each drawn at its own origin. Links carry the path of their resource, which finds the card;
// screen readers read the card as the link's description.
import type { ComponentChildren } from 'preact';
import { type Card, readOut, volumeText } from './cards.ts';
import { fitted } from './fitted-text.ts';
import { type Cluster, cellAt, mostNics, type Node, sizes } from './graph.ts';
import { balancerTitles, counted, lookOf, type Nic, type Server, sizeText, stateOf, type Volume } from './landscape.ts';
import type { Mark } from './marks.ts';

export interface Drawing {
  urlOf(path: string): string;
  cards: ReadonlyMap<string, Card>;
  colourOf(lan: string): string; // a class
  markOf(server: string): Mark | undefined; // of a server, or undefined
}

interface Props<Kind extends Node['kind']> {
  node: Extract<Node, { kind: Kind }>;
  drawing: Drawing;
}

export function NodeView({ node, drawing }: { node: Node; drawing: Drawing }) {
  switch (node.kind) {
    case 'internet':
      return <Internet node={node} drawing={drawing} />;
    case 'lan':
      return <LanNode node={node} drawing={drawing} />;
    case 'server':
      return <ServerNode node={node} drawing={drawing} />;
    case 'servers':
      return <ServerCluster node={node} drawing={drawing} />;
    case 'volumes':
      return <VolumeCluster node={node} drawing={drawing} />;
    case 'gateway':
      return <Plain node={node} drawing={drawing} glyph="gateway" note={node.data.publicIps.join(', ')} />;
    case 'balancer': {
      const { kind, ips } = node.data;
      return <Plain node={node} drawing={drawing} glyph="balancer" note={ips[0] ?? balancerTitles[kind]} />;
    }
    case 'crossConnect': {
      const { peers } = node.data;
      const note = peers === 0 ? 'Cross connect' : `Cross connect · ${counted(peers, 'LAN')}`;
      return <Plain node={node} drawing={drawing} glyph="link" note={note} />;
    }
  }
}

const Internet = ({ node: { width, height } }: Props<'internet'>) => (
  <>
    <rect class="dc-box" width={width} height={height} rx={height / 2} />
    <Glyph name="globe" x={18} y={13} />
    <text class="dc-name" x={42} y={27}>
      Internet
    </text>
  </>
);

function LanNode({ node: { width, height, data }, drawing }: Props<'lan'>) {
  const number = `LAN ${data.id}`;
  const note = [
    data.name !== number && number,
    data.isPublic ? 'public' : data.ipv4 || 'private',
    data.ipv6 !== '' && 'IPv6',
  ];
  return (
    <Link path={data.path} drawing={drawing} class={drawing.colourOf(data.id)}>
      <rect class="dc-box dc-lan" width={width} height={height} rx={8} />
      <rect class="dc-bar" width={6} height={height - 16} x={8} y={8} rx={3} />
      <Glyph name={data.isPublic ? 'globe' : 'lan'} x={24} y={18} />
      <Name text={data.name} x={50} y={22} width={width - 60} />
      <Note text={note.filter(Boolean).join(' · ')} x={50} y={41} width={width - 60} />
    </Link>
  );
}

interface PlainProps extends Props<'gateway' | 'balancer' | 'crossConnect'> {
  glyph: GlyphName;
  note: string;
}

const Plain = ({ node: { width, height, data }, drawing, glyph, note }: PlainProps) => (
  <Link path={data.path} drawing={drawing}>
    <rect class="dc-box dc-device" width={width} height={height} rx={8} />
    <Glyph name={glyph} x={14} y={21} />
    <Name text={data.name} x={42} y={25} width={width - 52} />
    <Note text={note} x={42} y={45} width={width - 52} />
  </Link>
);

const { server: card } = sizes;

function ServerNode({ node: { width, height, data }, drawing }: Props<'server'>) {
  const { volumes, nics } = data;
  const rows = volumes.length > 0 ? 1 : 0;
  const at = (row: number): number => card.head + row * card.row;
  const more = nics.length - mostNics;
  return (
    <>
      <rect class="dc-box" width={width} height={height} rx={8} />
      <Link path={data.path} drawing={drawing}>
        <rect class="dc-hit" width={width} height={card.head - 4} rx={8} />
        <StateDot state={stateOf(data)} x={18} y={20} />
        <Name text={data.name} x={32} y={25} width={width - 42} />
        <Note text={sizeText(data)} x={14} y={45} width={width - 24} />
      </Link>
      {rows > 0 && <VolumeRow volumes={volumes} server={data} drawing={drawing} y={at(0)} width={width} />}
      {nics.slice(0, mostNics).map((nic, place) => (
        <NicRow key={nic.id} nic={nic} drawing={drawing} y={at(rows + place)} width={width} />
      ))}
      {more > 0 && <Note text={`and ${counted(more, 'more NIC')}`} x={14} y={at(rows + mostNics) + 16} width={width} />}
    </>
  );
}

interface RowProps {
  drawing: Drawing;
  y: number;
  width: number;
}

function VolumeRow({ volumes, server, drawing, y, width }: RowProps & { volumes: readonly Volume[]; server: Server }) {
  const [first] = volumes;
  if (!first) return null;
  const total = volumes.reduce((sum, { sizeGb }) => sum + sizeGb, 0);
  const isOne = volumes.length === 1;
  const text = isOne ? volumeText(first) : `${volumes.length} volumes · ${total} GB`;
  return (
    <Link path={isOne ? first.path : `${server.path}/volumes`} drawing={drawing}>
      <rect class="dc-hit" x={6} y={y} width={width - 12} height={card.row} rx={4} />
      <Glyph name="disk" x={13} y={y + 4} small />
      <Note text={text} x={32} y={y + 16} width={width - 44} />
    </Link>
  );
}

function NicRow({ nic, drawing, y, width }: RowProps & { nic: Nic }) {
  return (
    <Link path={nic.path} nic={nic.id} drawing={drawing} class={drawing.colourOf(nic.lan)}>
      <rect class="dc-hit" x={6} y={y} width={width - 12} height={card.row} rx={4} />
      <rect class="dc-bar" x={16} y={y + 7} width={8} height={8} rx={2} />
      <Note text={nic.ips[0] ?? 'no address'} x={32} y={y + 15} width={width - 62} mono />
      <Glyph name={nic.isFiltered ? 'shield' : 'open'} x={width - 26} y={y + 4} small />
    </Link>
  );
}

interface ClusterFrameProps {
  width: number;
  height: number;
  cluster: Cluster<unknown>;
  note: string;
  children: ComponentChildren;
}

const ClusterFrame = ({ width, height, cluster: { title }, note, children }: ClusterFrameProps) => (
  <>
    <rect class="dc-box dc-cluster" width={width} height={height} rx={10} />
    <text class="dc-name" x={14} y={23}>
      {title}
    </text>
    <text class="dc-note" x={width - 14} y={23} text-anchor="end">
      {note}
    </text>
    {children}
  </>
);

function ServerCluster({ node: { width, height, data }, drawing }: Props<'servers'>) {
  const off = data.members.filter((one) => lookOf(stateOf(one)) !== 'good').length;
  const note = off === 0 ? '' : `${off} not running`;
  return (
    <ClusterFrame width={width} height={height} cluster={data} note={note}>
      {data.members.map((server, place) => (
        <Member key={server.id} cluster={data} place={place} path={server.path} drawing={drawing} server={server.id}>
          <StateDot state={stateOf(server)} x={13} y={data.cell.isDetailed ? 15 : 13} />
          <Name text={server.name} x={24} y={data.cell.isDetailed ? 20 : 18} width={data.cell.width - 30} small />
          {data.cell.isDetailed && (
            <Note text={server.nics[0]?.ips[0] ?? sizeText(server)} x={24} y={36} width={data.cell.width - 30} mono />
          )}
        </Member>
      ))}
    </ClusterFrame>
  );
}

function VolumeCluster({ node: { width, height, data }, drawing }: Props<'volumes'>) {
  const total = data.members.reduce((sum, { sizeGb }) => sum + sizeGb, 0);
  return (
    <ClusterFrame width={width} height={height} cluster={data} note={`${total} GB`}>
      {data.members.map((volume, place) => (
        <Member key={volume.id} cluster={data} place={place} path={volume.path} drawing={drawing}>
          <Glyph name="disk" x={6} y={data.cell.isDetailed ? 8 : 6} small />
          <Name text={volume.name} x={24} y={data.cell.isDetailed ? 20 : 18} width={data.cell.width - 30} small />
          {data.cell.isDetailed && <Note text={volumeText(volume)} x={24} y={36} width={data.cell.width - 30} />}
        </Member>
      ))}
    </ClusterFrame>
  );
}

interface MemberProps {
  cluster: Cluster<unknown>;
  place: number;
  path: string;
  drawing: Drawing;
  server?: string;
  children: ComponentChildren;
}

function Member({ cluster, place, path, drawing, server, children }: MemberProps) {
  const { x, y } = cellAt(cluster, place);
  const mark = server === undefined ? undefined : drawing.markOf(server);
  return (
    <g transform={`translate(${x} ${y})`} class={mark}>
      <Link path={path} drawing={drawing}>
        <rect class="dc-box dc-cell" width={cluster.cell.width} height={cluster.cell.height} rx={5} />
        {children}
      </Link>
    </g>
  );
}

interface LinkProps {
  path: string;
  drawing: Drawing;
  class?: string;
  nic?: string; // its id, for picking it
  children: ComponentChildren;
}

function Link({ path, drawing: { urlOf, cards }, class: look = '', nic, children }: LinkProps) {
  const shown = cards.get(path);
  return (
    <a
      class={`dc-link ${look}`}
      href={urlOf(path)}
      data-path={path}
      data-nic={nic}
      aria-description={shown && readOut(shown)}
    >
      {children}
    </a>
  );
}

interface TextProps {
  text: string;
  x: number;
  y: number;
  width: number;
}

const Name = ({ text, x, y, width, small = false }: TextProps & { small?: boolean }) => (
  <text class={small ? 'dc-name small' : 'dc-name'} x={x} y={y}>
    {fitted(text, width, small ? 13.5 : 16, 'bold')}
  </text>
);

const Note = ({ text, x, y, width, mono = false }: TextProps & { mono?: boolean }) => (
  <text class={mono ? 'dc-note mono' : 'dc-note'} x={x} y={y}>
    {fitted(text, width, mono ? 12.5 : 13.5, mono ? 'mono' : 'sans')}
  </text>
);

// Shows the state by shape as well as by colour.
function StateDot({ state, x, y }: { state: string; x: number; y: number }) {
  const look = lookOf(state);
  return (
    <g class={`dc-state ${look}`}>
      <circle cx={x} cy={y} r={4.5} />
      {look === 'failed' && <path d={`M${x - 2} ${y - 2}l4 4m0-4l-4 4`} />}
    </g>
  );
}

const glyphs = {
  globe: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM1.5 8h13M8 1.5c4 4 4 9 0 13M8 1.5c-4 4-4 9 0 13',
  lan: 'M6 2h4v4H6zM1.5 10.5h4v3.5h-4zM10.5 10.5h4v3.5h-4zM8 6v2.2M3.5 10.5V8.2h9v2.3',
  disk: 'M2 9.5h12v4H2zM2 9.5l2-6.5h8l2 6.5M11 11.5h1',
  shield: 'M8 1.5 13.5 3.5V8c0 3.5-2.5 5.5-5.5 6.5C5 13.5 2.5 11.5 2.5 8V3.5z',
  open: 'M4 7.5h8v6.5H4zM5.5 7.5V5a2.5 2.5 0 0 1 4.8-1',
  gateway: 'M2 5h9M8.5 2.5 11 5 8.5 7.5M14 11H5M7.5 8.5 5 11l2.5 2.5',
  balancer: 'M2 8h4M6 8l4-5h3.5M6 8h7.5M6 8l4 5h3.5M12 1.5 13.5 3 12 4.5M12 6.5 13.5 8 12 9.5M12 11.5l1.5 1.5-1.5 1.5',
  link: 'M6.5 9.5l3-3M7 4.5 9 2.5a3.2 3.2 0 0 1 4.5 4.5l-2 2M9 11.5l-2 2A3.2 3.2 0 0 1 2.5 9l2-2',
} as const;
type GlyphName = keyof typeof glyphs;

interface GlyphProps {
  name: GlyphName;
  x: number;
  y: number;
  small?: boolean;
}

const Glyph = ({ name, x, y, small = false }: GlyphProps) => (
  <path class={`dc-glyph ${name}`} d={glyphs[name]} transform={`translate(${x} ${y}) scale(${small ? 0.85 : 1})`} />
);
