// Reads the metrics that only the nodes' own counters have, from the agent that runs in each of them.
export interface NodeMetrics {
  bytesIn: number;
  bytesOut: number;
  requests: number;
  connections: number;
  refused: number;
}

const names: Record<string, keyof NodeMetrics> = {
  bytes_in: 'bytesIn',
  bytes_in_total: 'bytesIn',
  bytes_out: 'bytesOut',
  bytes_out_total: 'bytesOut',
  requests: 'requests',
  requests_total: 'requests',
  connections: 'connections',
  refused: 'refused',
  refused_total: 'refused',
};
const scrapeMs = 5_000;

// Returns the sum over all nodes. A node that does not answer counts as zero.
export async function sumOfMetrics(ports: readonly number[]): Promise<NodeMetrics> {
  const sum: NodeMetrics = { bytesIn: 0, bytesOut: 0, requests: 0, connections: 0, refused: 0 };
  const texts = await Promise.all(ports.map((port) => scrape(port).catch(() => '')));
  for (const text of texts) add(sum, text);
  return sum;
}

async function scrape(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(scrapeMs) });
  return answer.text();
}

function add(sum: NodeMetrics, text: string): void {
  for (const [, name = '', value] of text.matchAll(/^([a-z_]+)(?:\{[^\n]*\})? (\S+)$/gm)) {
    const key = names[name];
    if (key) sum[key] += Number(value);
  }
}
