// What of the diagram a traced packet touches: nodes and edges that it passed, and where it was stopped.
export type Mark = 'passed' | 'stopped';

export type Way = 'along' | 'against'; // the direction in which an edge is drawn

export interface Marks {
  nodes: ReadonlyMap<string, Mark>; // by key
  servers: ReadonlyMap<string, Mark>; // by id, within clusters
  edges: ReadonlyMap<string, Way>; // by key: those that it went
}

export const noMarks: Marks = { nodes: new Map(), servers: new Map(), edges: new Map() };
