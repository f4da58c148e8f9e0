// logcli, the command line of Loki, asks our API: on the pipeline's own address with its key, as its users do.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addLogPipeline, post, stream } from '../../harness/logs.ts';
import { startRegion } from '../../harness/region.ts';
import { startAgent, untilAnswered } from '../agents/process.ts';
import { logcli } from '../logs/programs.ts';
import { mustRun, run } from '../run.ts';

const second = 1_000_000_000n;

suite('logcli', () => {
  test('LOG-06: it queries, lists labels and series, shows statistics and volumes, and follows', async (t) => {
    const program = await logcli();
    if (!program.path) {
      t.skip(program.skip);
      return;
    }
    await using region = await startRegion();
    const pipeline = await addLogPipeline(region, [stream('web'), stream('jobs')]);
    const startNs = BigInt(Date.now()) * 1_000_000n - 300n * second;
    const values = Array.from({ length: 2500 }, (_, index) => [
      String(startNs + BigInt(index) * 10_000_000n),
      `level=${index % 10 === 0 ? 'error' : 'info'} n=${index}`,
    ]);
    const streams = ['web', 'jobs'].map((tag) => ({ stream: { tag }, values }));
    assert.equal((await post(region, pipeline, '/loki/api/v1/push', { streams })).status, 204);
    const env = { LOKI_ADDR: region.url + pipeline.path, LOKI_BEARER_TOKEN: pipeline.key, TZ: 'UTC' };
    const cli = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await mustRun([program.path as string, '--quiet', ...args], { env });
      return stdout.split('\n').filter((line) => line !== '');
    };
    // In batches, which it asks for one after the other.
    const all = await cli(
      '--output=raw',
      'query',
      '{tag="web"}',
      '--limit=2500',
      '--batch=700',
      '--since=1h',
      '--forward',
    );
    assert.deepEqual(
      all,
      values.map(([, line]) => line),
    );
    const errors = await cli(
      '--output=jsonl',
      'query',
      '{tag="web"} | logfmt | level="error"',
      '--limit=5',
      '--since=1h',
    );
    assert.equal(errors.length, 5);
    assert.match((JSON.parse(errors[0] as string) as { line: string }).line, /level=error/);
    const [counted] = await cli('instant-query', 'sum by (level) (count_over_time({tag="web"} | logfmt [1h])) > 1000');
    assert.match(counted ?? '', /^\[/);
    const series = await cli('query', 'sum(rate({tag="web"}[1m]))', '--since=10m', '--step=60s');
    assert.match(series.join('\n'), /"values"/);
    assert.ok((await cli('labels')).includes('tag'));
    assert.deepEqual(await cli('labels', 'tag'), ['jobs', 'web']);
    assert.equal((await cli('series', '{tag=~".+"}')).length, 2);
    assert.match((await cli('stats', '{tag="web"}')).join('\n'), /entries: 2500/i);
    assert.match((await cli('volume', '{tag="web"}')).join('\n'), /"tag": "web"/);
    assert.match((await cli('detected-fields', '{tag="web"}')).join('\n'), /label: level/);
    const refused = await run([program.path, 'query', '{tag="web"'], { env });
    assert.match(refused.stderr, /parse error at line 1, col 11/);

    const tail = startAgent([program.path, '--quiet', '--output=raw', 'query', '{tag="jobs"}', '--tail'], env);
    try {
      await untilAnswered('it shows the last line', async () => tail.log().includes('n=2499'));
      const line = [String(BigInt(Date.now()) * 1_000_000n), 'brand new'];
      await post(region, pipeline, '/loki/api/v1/push', { streams: [{ stream: { tag: 'jobs' }, values: [line] }] });
      await untilAnswered('it shows what arrived', async () => tail.log().includes('brand new'));
    } finally {
      await tail.stop();
    }
  });
});
