// An exporter to scrape: the numbers of each scrape follow from its position, so a test can see from any number which
// scrape it was, and that none is missing.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';

export interface Exporter extends AsyncDisposable {
  address: string; // host:port
  looks(): number;
}

export async function openExporter(): Promise<Exporter> {
  let looks = 0;
  const server = createServer((_, response) => {
    looks += 1;
    response.setHeader('Content-Type', 'text/plain; version=0.0.4').end(page(looks));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return {
    address: `127.0.0.1:${address.port}`,
    looks: () => looks,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const bounds = ['0.1', '1', '+Inf'];

// A counter, gauges with difficult values, a histogram and a summary.
function page(look: number): string {
  return `# HELP looks_total Looks at this page.
# TYPE looks_total counter
looks_total{path="/a\\\\b",quote="\\"",umlaut="größe"} ${look}
# TYPE level gauge
level{at="fraction"} ${look / 7}
level{at="below"} ${-look}
level{at="nothing"} NaN
level{at="top"} +Inf
# TYPE took_seconds histogram
${bounds.map((le, at) => `took_seconds_bucket{le="${le}"} ${look * (at + 1)}`).join('\n')}
took_seconds_sum ${look * 0.25}
took_seconds_count ${look * bounds.length}
# TYPE asked_seconds summary
asked_seconds{quantile="0.5"} ${look / 100}
asked_seconds{quantile="0.99"} ${look / 10}
asked_seconds_sum ${look}
asked_seconds_count ${look * 2}
`;
}
