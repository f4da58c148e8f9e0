// The marks of a traced packet in the diagram: nodes and edges that it passed, and the node that stopped it.
export type Mark = 'passed' | 'stopped';

export type Way = 'along' | 'against'; // the direction in which an edge is drawn

export interface Marks {
  nodes: ReadonlyMap<string, Mark>; // by key
  servers: ReadonlyMap<string, Mark>; // by id, within clusters
  edges: ReadonlyMap<string, Way>; // by key: the edges on its way
}

export const noMarks: Marks = { nodes: new Map(), servers: new Map(), edges: new Map() };
