// The models of the region, and what serves each of them.
import { call } from '../api.ts';

export const apiPath = '/inference/v1';

export interface ServedModel {
  id: string;
  kind: 'chat' | 'embedding' | 'image' | 'rerank';
  context_length: number;
  served_by: string;
}

export const listModels = async (signal: AbortSignal): Promise<ServedModel[]> =>
  (await call<{ data: ServedModel[] }>('GET', `${apiPath}/models`, { signal })).data;

// Whether another model answers in its place. A server of the model itself names it in `served_by`.
export function isStandIn({ id, served_by: servedBy }: ServedModel): boolean {
  const name = id.slice(id.lastIndexOf('/') + 1).toLowerCase();
  return servedBy.includes(`not ${id}`) || !servedBy.toLowerCase().includes(name);
}
