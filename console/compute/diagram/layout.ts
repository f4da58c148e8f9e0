// The positions of the diagram's nodes and the lines of its edges, computed by dagre.
import dagre from '@dagrejs/dagre';
import type { Edge, Graph, Node } from './graph.ts';

export interface Point {
  x: number;
  y: number;
}

export interface Rectangle extends Point {
  width: number;
  height: number;
}

export type Placed = Node & Point; // its upper left corner

export interface PlacedEdge extends Edge {
  points: readonly Point[];
}

export interface Layout {
  width: number;
  height: number;
  nodes: readonly Placed[];
  edges: readonly PlacedEdge[];
}

const manyNodes = 120; // from here on, dagre uses its faster ranker
const margin = 24;
const gap = 40; // between unconnected parts
const shape = 1.3; // width by height of the whole

// Unconnected parts are laid out separately and placed in rows, like words on a page.
export function layoutOf(graph: Graph): Layout {
  const parts = partsOf(graph).map(layoutPart);
  const area = parts.reduce((sum, { width, height }) => sum + (width + gap) * (height + gap), 0);
  const widest = Math.max(Math.sqrt(area * shape), ...parts.map(({ width }) => width));
  const [nodes, edges]: [Placed[], PlacedEdge[]] = [[], []];
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const part of parts) {
    if (x > 0 && x + part.width > widest) [x, y, rowHeight] = [0, y + rowHeight + gap, 0];
    const [left, top] = [x + margin, y + margin];
    const moved = <P extends Point>(point: P): P => ({ ...point, x: point.x + left, y: point.y + top });
    nodes.push(...part.nodes.map(moved));
    edges.push(...part.edges.map((edge) => ({ ...edge, points: edge.points.map(moved) })));
    width = Math.max(width, x + part.width);
    x += part.width + gap;
    rowHeight = Math.max(rowHeight, part.height);
  }
  return { width: width + 2 * margin, height: y + rowHeight + 2 * margin, nodes, edges };
}

function layoutPart({ nodes, edges }: Graph): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const ranker = nodes.length > manyNodes ? 'longest-path' : 'network-simplex';
  graph.setGraph({ rankdir: 'TB', nodesep: 18, edgesep: 16, ranksep: 40, ranker });
  for (const { key, width, height } of nodes) graph.setNode(key, { width, height });
  for (const { key, from, to } of edges) graph.setEdge({ v: from, w: to, name: key }, {});
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Rectangle>;
  const placed = nodes.map((node): Placed => {
    const { x, y } = graph.node(node.key) as Point; // its centre
    return { ...node, x: x - node.width / 2, y: y - node.height / 2 };
  });
  const bent = edges.map((edge) => {
    const { points } = graph.edge({ v: edge.from, w: edge.to, name: edge.key }) as { points: Point[] };
    return { ...edge, points: points.slice(2, -2) }; // without the first and last two points
  });
  const ordered = inOrder(placed, bent);
  return { width, height, nodes: ordered, edges: anchored(bent, ordered) };
}

// Sorts neighbouring servers with the same connections by name, because dagre doesn't know names.
function inOrder(nodes: readonly Placed[], edges: readonly PlacedEdge[]): Placed[] {
  const ways = Map.groupBy(
    edges.flatMap(({ from, to, points }) => [from, to].map((key) => ({ key, text: `${from} ${to}`, points }))),
    ({ key }) => key,
  );
  const likeness = (node: Placed): string => {
    const own = ways.get(node.key) ?? [];
    const isBent = own.some(({ points }) => points.length > 0);
    if (node.kind !== 'server' || isBent) return node.key;
    const neighbours = own.map(({ text }) => text.replace(node.key, '')).sort();
    return [...neighbours, node.y + node.height / 2].join();
  };
  const placed = new Map<string, Placed>();
  for (const alike of Map.groupBy(nodes, likeness).values()) {
    const centres = alike.map(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }));
    centres.sort((a, b) => a.x - b.x);
    for (const [at, node] of alike.entries()) {
      const { x, y } = centres[at] as Point;
      placed.set(node.key, { ...node, x: x - node.width / 2, y: y - node.height / 2 });
    }
  }
  return nodes.map(({ key }) => placed.get(key) as Placed);
}

// Each edge leaves a node at its bottom and enters the next at its top. Edges at one node are spread in the order of
// their other ends, so they don't cross.
function anchored(edges: readonly PlacedEdge[], nodes: readonly Placed[]): PlacedEdge[] {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const centre = (key: string): number => {
    const node = byKey.get(key) as Placed;
    return node.x + node.width / 2;
  };
  const anchors = (end: 'from' | 'to'): Map<string, Point> => {
    const towards = ({ points, from, to }: PlacedEdge): number =>
      (end === 'from' ? points[0] : points.at(-1))?.x ?? centre(end === 'from' ? to : from);
    const found = new Map<string, Point>();
    for (const [key, here] of Map.groupBy(edges, (edge) => edge[end])) {
      const { x, y, width, height } = byKey.get(key) as Placed;
      const inOrder = here.toSorted((a, b) => towards(a) - towards(b));
      for (const [at, edge] of inOrder.entries())
        found.set(edge.key, {
          x: x + (width * (at + 1)) / (here.length + 1),
          y: end === 'from' ? y + height : y,
        });
    }
    return found;
  };
  const [starts, ends] = [anchors('from'), anchors('to')];
  return edges.map((edge) => ({
    ...edge,
    points: [starts.get(edge.key) as Point, ...edge.points, ends.get(edge.key) as Point],
  }));
}

// The connected parts, the largest first.
function partsOf({ nodes, edges }: Graph): Graph[] {
  const graph = new dagre.graphlib.Graph();
  for (const { key } of nodes) graph.setNode(key);
  for (const { from, to } of edges) graph.setEdge(from, to);
  const found: string[][] = dagre.graphlib.alg.components(graph);
  const partOf = new Map(found.flatMap((keys, at) => keys.map((key) => [key, at] as const)));
  const parts = new Map<number | undefined, { nodes: Node[]; edges: Edge[] }>();
  for (const node of nodes) {
    const at = partOf.get(node.key);
    if (!parts.has(at)) parts.set(at, { nodes: [], edges: [] });
    parts.get(at)?.nodes.push(node);
  }
  for (const edge of edges) parts.get(partOf.get(edge.from))?.edges.push(edge);
  return [...parts.values()].sort((a, b) => b.nodes.length - a.nodes.length);
}

// A curve through all points that leaves and enters vertically.
export function curveOf([first, ...rest]: readonly Point[]): string {
  if (!first) return '';
  let [text, last] = [`M${at(first)}`, first];
  for (const point of rest) {
    const middle = (last.y + point.y) / 2;
    text += `C${at({ x: last.x, y: middle })} ${at({ x: point.x, y: middle })} ${at(point)}`;
    last = point;
  }
  return text;
}

const at = ({ x, y }: Point): string => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
