// ./cumulet bench [SUITE …] [--only FIGURE] [--quick] [--profile]
// Measures against peers in the same run, prints a table per suite and keeps it in bench/results.md. A run of some
// figures, a quick one, one with the profiler and one in which something broke are not kept.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apiFigures } from './api/api.ts';
import { autoscalingFigures, autoscalingNote } from './autoscaling/autoscaling.ts';
import { coreFigures } from './core.ts';
import { dnsFigures, dnsNote } from './dns/dns.ts';
import { endAllOnExit } from './harness/children.ts';
import { type Bench, type Figure, Skipped } from './harness/figure.ts';
import { openLoader } from './harness/load.ts';
import { profileSummary } from './harness/profile.ts';
import { limitsNote } from './harness/region.ts';
import { drawTable, keepResults, type Line, machine } from './harness/report.ts';
import { inferenceFigures, inferenceNote } from './inference/inference.ts';
import { logsFigures, logsNote } from './logs/logs.ts';
import { metricsFigures, metricsNote } from './metrics/metrics.ts';
import { objectsFigures, objectsNote } from './objects/objects.ts';
import { placementNote, stateFigures } from './state.ts';
import { streamingFigures, streamingNote } from './streaming/streaming.ts';

const suites: Record<string, { figures: readonly Figure[]; remark?: string }> = {
  api: { figures: apiFigures, remark: limitsNote },
  autoscaling: { figures: autoscalingFigures, remark: autoscalingNote },
  core: { figures: coreFigures, remark: limitsNote },
  dns: { figures: dnsFigures, remark: `${limitsNote}; ${dnsNote}` },
  inference: { figures: inferenceFigures, remark: `${limitsNote}; ${inferenceNote}` },
  logs: { figures: logsFigures, remark: `${limitsNote}; ${logsNote}` },
  metrics: { figures: metricsFigures, remark: `${limitsNote}; ${metricsNote}` },
  objects: { figures: objectsFigures, remark: `${limitsNote}; ${objectsNote}` },
  state: { figures: stateFigures, remark: `${limitsNote}; ${placementNote}` },
  streaming: { figures: streamingFigures, remark: `${limitsNote}; ${streamingNote}` },
};

const figureLimitMs = 15 * 60_000;

function usage(problem: string): never {
  process.stderr.write(`${problem}\nusage: ./cumulet bench [SUITE … --only FIGURE --quick --profile]\n`);
  process.stderr.write(`suites: ${Object.keys(suites).join(', ')}\n`);
  process.exit(2);
}

function help(): never {
  process.stdout.write(
    'usage: ./cumulet bench [SUITE …] [--only FIGURE] [--quick] [--profile]\n' +
      'Measures against peers in the same run; whole suites are kept in bench/results.md.\n' +
      `suites: ${Object.keys(suites).join(', ')}\n`,
  );
  process.exit(0);
}

function readOptions() {
  if (process.argv.includes('--help') || process.argv.includes('-h')) help();
  const options = {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean' },
    profile: { type: 'boolean' },
  } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { ...values, names: positionals.length ? positionals : Object.keys(suites) };
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

async function measure(figure: Figure, bench: Bench): Promise<Line> {
  const startedAt = performance.now();
  // A hanging measurement can't be stopped from here, so the whole run ends, and its children with it.
  const limit = setTimeout(() => {
    process.stderr.write(` not done after ${figureLimitMs / 60_000} minutes\n`);
    process.exit(1);
  }, figureLimitMs);
  process.stderr.write(`${figure.name}: ${figure.title} …`);
  try {
    return { figure, measured: await figure.measure(bench) };
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).trim();
    return { figure, why, broken: !(error instanceof Skipped) };
  } finally {
    clearTimeout(limit);
    process.stderr.write(` ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  }
}

endAllOnExit();
const { names, only, quick = false, profile = false } = readOptions();
const loader = openLoader();
// V8 compiles the code of a long call for the first ten seconds of load. Both sides are measured after that time.
const times = quick ? { pairs: 1, roundMs: 1000, warmUpMs: 1000 } : { pairs: 7, roundMs: 2000, warmUpMs: 10_000 };
const bench: Bench = { loader, quick, ...times };
if (profile) bench.profileFolder = await mkdtemp(join(tmpdir(), 'cumulet-profile-'));
let missed = false;
for (const name of names) {
  const { figures, remark = '' } = suites[name] ?? usage(`unknown suite ${name}`);
  const chosen = figures.filter((figure) => !only || only.includes(figure.name));
  if (!chosen.length) usage(`${name} has these figures: ${figures.map((figure) => figure.name).join(', ')}`);
  const lines: Line[] = [];
  for (const figure of chosen) {
    lines.push(await measure(figure, bench));
    if (bench.profileFolder) process.stdout.write(profileSummary(bench.profileFolder));
  }
  process.stdout.write(`\n${name}: ${machine()}\n${remark}\n\n${drawTable(lines)}\n`);
  missed ||= lines.some((line) => line.broken || line.measured?.pass === false);
  const whole = !only && !quick && !profile && !lines.some((line) => line.broken);
  if (whole) keepResults(name, remark, lines);
}
if (bench.profileFolder) await rm(bench.profileFolder, { recursive: true, force: true });
await loader.close();
process.exit(missed && !quick ? 1 : 0);
