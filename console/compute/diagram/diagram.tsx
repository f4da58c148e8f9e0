// The diagram: an SVG that the user moves and zooms in its window, and the card of the item under the pointer.
import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { type Card, cardsOf } from './cards.ts';
import { listenTo } from './gestures.ts';
import type { Graph } from './graph.ts';
import type { Landscape } from './landscape.ts';
import { curveOf, layoutOf, type Rectangle } from './layout.ts';
import type { EdgeTraffic } from './live-traffic.ts';
import type { Marks } from './marks.ts';
import { type Drawing, NodeView } from './nodes.tsx';
import { TrafficLabel } from './traffic-label.tsx';
import { Viewport } from './viewport.ts';

export interface DiagramProps {
  name: string; // of the datacenter
  landscape: Landscape;
  graph: Graph;
  marks: Marks;
  traffic: ReadonlyMap<string, EdgeTraffic>; // by the key of the edge
  isPicking: boolean;
  urlOf(path: string): string;
  onPick(path: string): boolean; // true: it was picked, so the link isn't followed
}

const colours = 10;

interface PlacedCard {
  card: Card;
  left: number;
  top: number;
  isAbove: boolean;
}

export function Diagram({ name, landscape, graph, marks, traffic, isPicking, urlOf, onPick }: DiagramProps) {
  const place = useRef<HTMLDivElement>(null);
  const viewport = useMemo(() => new Viewport(), []);
  const shown = useSignal<PlacedCard | undefined>(undefined);
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const cards = useMemo(() => cardsOf(landscape), [landscape]);
  const places = useMemo(() => new Map(landscape.lans.map(({ id }, at) => [id, at])), [landscape]);
  const { nodes, servers, edges } = marks;

  useLayoutEffect(() => listenTo(place.current as HTMLDivElement, viewport), []);
  useLayoutEffect(() => {
    const window = place.current as HTMLDivElement;
    const [top] = layout.nodes;
    const follow = (): void =>
      viewport.resize({ width: window.clientWidth, height: window.clientHeight }, layout, top && top.x + top.width / 2);
    const observer = new ResizeObserver(follow);
    observer.observe(window);
    follow();
    return () => observer.disconnect();
  }, [layout]);

  const drawing: Drawing = {
    urlOf,
    cards,
    colourOf: (lan) => colourClass(places.get(lan) ?? -1),
    markOf: (server) => servers.get(server),
  };
  const look = ({ target }: Event): void => {
    const link = linkOf(target);
    const card = cards.get(link?.dataset.path ?? '');
    shown.value = link && card && place.current ? { card, ...cardPosition(link, place.current) } : undefined;
  };
  const leave = (): void => {
    shown.value = undefined;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys press the links inside, which are clicks too
    <div
      class={isPicking ? 'dc-window picking' : 'dc-window'}
      ref={place}
      role="group"
      aria-label={`Diagram of ${name}. Arrow keys move it, plus and minus zoom, 0 fits it.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move and zoom it
      tabIndex={0}
      onPointerOver={look}
      onPointerLeave={leave}
      onFocusIn={(event) => {
        const link = linkOf(event.target);
        if (link?.matches(':focus-visible')) bringIntoSight(link, place.current, viewport);
        look(event);
      }}
      onFocusOut={leave}
      onClick={(event) => {
        const path = linkOf(event.target)?.dataset.path;
        if (path !== undefined && onPick(path)) event.preventDefault();
      }}
    >
      <svg class="dc-picture" role="presentation">
        <g transform={viewport.transform as unknown as string}>
          {layout.edges.map(({ key, lan, points }) => {
            const way = edges.get(key);
            const looks = ['dc-edge', colourClass(lan), way && `passed ${way}`, traffic.has(key) && 'flows'];
            return <path key={key} class={looks.filter(Boolean).join(' ')} d={curveOf(points)} />;
          })}
          {layout.nodes.map((node) => (
            <svg
              key={node.key}
              class={['dc-node', nodes.get(node.key)].filter(Boolean).join(' ')}
              role="presentation"
              {...clipped(node)}
            >
              <NodeView node={node} drawing={drawing} />
            </svg>
          ))}
          {layout.edges.map(({ key, points }) => {
            const rate = traffic.get(key);
            return rate && <TrafficLabel key={key} rate={rate} points={points} />;
          })}
        </g>
      </svg>
      <div class="dc-zoom">
        <Button text="+" look="plain" label="Zoom in" onPress={() => viewport.zoom(1.25)} />
        <Button text="−" look="plain" label="Zoom out" onPress={() => viewport.zoom(0.8)} />
        <Button text="Fit" look="plain" label="Fit the diagram to the window" onPress={() => viewport.fit()} />
      </div>
      {shown.value && <CardView {...shown.value} />}
    </div>
  );
}

const border = 3; // around a node, for its lines

// Clips names to the box of their node.
const clipped = ({ x, y, width, height }: Rectangle) => ({
  x: x - border,
  y: y - border,
  width: width + 2 * border,
  height: height + 2 * border,
  viewBox: `${-border} ${-border} ${width + 2 * border} ${height + 2 * border}`,
});

const colourClass = (place: number): string => (place < 0 ? '' : `dc-c${place % colours}`);

const linkOf = (target: EventTarget | null): SVGAElement | undefined =>
  target instanceof Element ? (target.closest<SVGAElement>('a.dc-link') ?? undefined) : undefined;

// Below the item, or above it if there is more room.
function cardPosition(link: SVGAElement, window: HTMLDivElement): Omit<PlacedCard, 'card'> {
  const [outer, inner] = [window.getBoundingClientRect(), link.getBoundingClientRect()];
  const widest = Math.max(0, outer.width - 296);
  const left = Math.min(Math.max(8, inner.left - outer.left), widest);
  const isAbove = inner.bottom - outer.top > outer.height * 0.6;
  return { left, isAbove, top: isAbove ? outer.bottom - inner.top + 8 : inner.bottom - outer.top + 8 };
}

function bringIntoSight(link: SVGAElement, window: HTMLDivElement | null, viewport: Viewport): void {
  if (!window) return;
  const [outer, inner] = [window.getBoundingClientRect(), link.getBoundingClientRect()];
  const { x, y, scale } = viewport.view.value;
  viewport.reveal({
    x: (inner.left - outer.left - x) / scale,
    y: (inner.top - outer.top - y) / scale,
    width: inner.width / scale,
    height: inner.height / scale,
  });
}

// Screen readers read the same from the link's description.
const CardView = ({ card: { kind, title, facts }, left, top, isAbove }: PlacedCard) => (
  <div class="dc-card" aria-hidden="true" style={{ left: `${left}px`, [isAbove ? 'bottom' : 'top']: `${top}px` }}>
    <p class="dc-kind">{kind}</p>
    <p class="dc-title">{title}</p>
    <dl>
      {facts.map(([name, value]) => (
        <Fragment key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  </div>
);
