// What of the diagram a traced packet touches: nodes and edges that it passed, and where it was stopped.
export type Mark = 'passed' | 'stopped';

export interface MarkedEdge {
  mark: Mark;
  isReversed: boolean; // it runs against the direction in which the edge is drawn
}

export interface Marks {
  nodes: ReadonlyMap<string, Mark>; // by key
  servers: ReadonlyMap<string, Mark>; // by id, within clusters
  edges: ReadonlyMap<string, MarkedEdge>; // by key
}

export const noMarks: Marks = { nodes: new Map(), servers: new Map(), edges: new Map() };
