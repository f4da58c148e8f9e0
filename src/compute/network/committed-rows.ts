// The rows of a datacenter that apply to traffic: without resources that are being created, with links as they were
// before a pending change, and with resources that are being deleted. The journal lists the pending operations.

import { journalOf } from '../../core/operation/journal.ts';
import { reservedLinks } from '../../core/operation/reservations.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

export interface CommittedRows {
  in(place: string): readonly Row[]; // as the API lists them
  linked(row: Row, role: string): string[]; // the ids of the rows that it links to
}

export interface CommittedOptions {
  // With servers that are being created, and what is created with them: a machine needs its network when it boots.
  withNewServers?: boolean;
}

// Undefined: the datacenter does not exist, or is being created.
export async function readCommittedRows(
  store: Store,
  contract: number,
  path: string,
  options: CommittedOptions = {},
): Promise<CommittedRows | undefined> {
  const { created, before } = await pendingChanges(store, contract, path, options);
  if (created.has(path) || !(await store.at(contract, path))) return undefined;
  const places = new Map<string, Row[]>();
  for await (const row of store.each({ contract, below: `${path}/` })) {
    if (created.has(pathOf(row))) continue;
    const rows = places.get(row.place);
    if (rows) rows.push(row);
    else places.set(row.place, [row]);
  }
  return {
    in: (place) => places.get(place) ?? [],
    linked: (row, role) => reservedLinks({ hidden: before.get(pathOf(row)) ?? row.hidden }, role).map(idIn),
  };
}

interface PendingChanges {
  created: Set<string>; // paths of resources that are being created
  before: Map<string, string>; // the hidden parts of changed rows, before the change
}

async function pendingChanges(
  store: Store,
  contract: number,
  path: string,
  { withNewServers = false }: CommittedOptions,
): Promise<PendingChanges> {
  const created = new Set<string>();
  const before = new Map<string, string>();
  for await (const row of store.each({ contract, below: path }, 'journal')) {
    const { changes } = journalOf(row);
    const isShown = withNewServers && changes.some(({ way, kind }) => way === 'create' && kind === 'server');
    for (const change of changes) {
      if (change.way === 'create' && !isShown) created.add(change.path);
      else if (change.before !== undefined) before.set(change.path, change.before);
    }
  }
  return { created, before };
}

export const idIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
