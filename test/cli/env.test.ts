// `env` as a user has it: evaluated by sh, then used by clients.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { type Region, startRegion } from '../harness/region.ts';
import { openShell, type Shell } from '../harness/shell.ts';

// A name that a shell would take apart, were it not quoted.
const root = mkdtempSync(join(tmpdir(), "cumulet env's $(test) "));
let region: Region;
before(async () => {
  region = await startRegion({ data: join(root, 'data') });
});
after(async () => {
  await region.stop();
  rmSync(root, { recursive: true, force: true });
});

async function good(shell: Shell, script: string, more: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await shell.run(script, { DATA: region.data, ...more });
  assert.equal(code, 0, `${script}\n${stdout}${stderr}`);
  assert.equal(stderr, '');
  return stdout;
}
const eval_ = (options = ''): string => `eval "$(cumulet env ${options} --data "$DATA")"`;
const variables = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s).slice(0, 2)] : [])),
  );

suite('env', () => {
  test('--aws points S3 clients here with one kept key; plain env leaves theirs alone, and --unset gives it back', async () => {
    using shell = openShell();
    const sign = 'curl -sS --aws-sigv4 aws:amz:$AWS_REGION:s3 --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"';
    const list = `${sign} -H "x-amz-content-sha256: UNSIGNED-PAYLOAD" "$AWS_ENDPOINT_URL_S3/"`;
    const outer = { AWS_ACCESS_KEY_ID: 'REAL', AWS_SECRET_ACCESS_KEY: 'real', AWS_SESSION_TOKEN: 'real' };
    assert.match(await good(shell, `${eval_('--aws')}; ${list}`, outer), /<ListAllMyBucketsResult/);
    const show = 'echo "$AWS_ACCESS_KEY_ID $IONOS_S3_ACCESS_KEY [$AWS_SESSION_TOKEN]"';
    const [first, second] = (await good(shell, `${eval_('--aws')}; ${show}; ${eval_('--all')}; ${show}`, outer)).split(
      '\n',
    );
    assert.equal(first, second);
    assert.match(first ?? '', /^(\w{92}) \1 \[\]$/);
    assert.match(await good(shell, `${eval_()}; ${show}`, outer), /^REAL {2}\[real\]/);
    const region = 'echo "$AWS_REGION $AWS_DEFAULT_REGION"'; // boto3 and aws-cli 1 read the second
    const regions = await good(shell, `${eval_('--aws')}; ${region}; ${eval_('--unset')}; ${region}`, {
      ...outer,
      AWS_DEFAULT_REGION: 'us-east-1',
    });
    assert.equal(regions, 'eu-central-3 eu-central-3\n us-east-1\n');
    assert.match(await good(shell, `${eval_('--aws')}; ${eval_('--unset')}; ${show}`, outer), /^REAL {2}\[real\]/);
  });

  test('--aws and --proxy combine, in one call and in two', async () => {
    using shell = openShell();
    const show = 'echo "$IONOS_S3_ACCESS_KEY $IONOS_S3_SECRET_KEY $HTTPS_PROXY"';
    for (const calls of [eval_('--proxy --aws'), `${eval_('--aws')}; ${eval_('--proxy')}`]) {
      const shown = await good(shell, `${calls}; ${show}`);
      assert.match(shown, /^\w{92} \S{64,} \S+\n$/);
      assert.equal(shown.trimEnd().split(' ')[2], region.proxy);
    }
  });

  test('sets the endpoint and a token that works, and nothing of another platform stays [GEN-03]', async () => {
    using shell = openShell();
    const call = 'curl -sS -o /dev/null -w "%{http_code}" -H "Authorization: Bearer $IONOS_TOKEN"';
    const outer = { IONOS_USERNAME: 'real@cloud', IONOS_PASSWORD: 'secret', IONOS_CONTRACT_NUMBER: '1' };
    assert.equal(await good(shell, `${eval_()}; ${call} "$IONOS_API_URL/cloudapi/v6/datacenters"`, outer), '200');
    const set = variables(await good(shell, `${eval_()}; env`, { ...outer, IONOS_API_URL_LOGGING: 'https://real' }));
    assert.equal(set.IONOS_API_URL, region.url);
    const names = Object.keys(set).filter((name) => name.startsWith('IONOS_'));
    assert.deepEqual(names.sort(), ['IONOS_API_URL', 'IONOS_API_URL_CERT', 'IONOS_TOKEN']);
    assert.equal(set.NO_PROXY, undefined);
    const proxied = variables(
      await good(shell, `${eval_()}; env`, { http_proxy: 'http://outer', no_proxy: 'inner.test' }),
    );
    assert.equal(proxied.no_proxy, '127.0.0.1,localhost,::1,inner.test');
  });

  test('forgets the tokens of deleted data folders', async () => {
    using shell = openShell();
    const kept = (name: string, text: string): string => {
      const folder = join(shell.home, 'config/cumulet', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'token.json'), text);
      return folder;
    };
    const gone = kept('0000000000000001', JSON.stringify({ data: join(shell.home, 'nowhere'), token: 'a' }));
    const there = kept('0000000000000002', JSON.stringify({ data: shell.home, token: 'b' }));
    const strange = kept('0000000000000003', 'not ours');
    await good(shell, eval_());
    assert.deepEqual([gone, there, strange].map(existsSync), [false, true, true]);
  });

  test('keeps one token, for its owner alone, and uses it again while it is good', async () => {
    using shell = openShell();
    const token = async (): Promise<string> => (await good(shell, `${eval_()}; printf %s "$IONOS_TOKEN"`)).trim();
    const first = await token();
    assert.equal(await token(), first);
    const [file = ''] = globSync('config/cumulet/*/token.json', { cwd: shell.home });
    assert.equal(statSync(join(shell.home, file)).mode & 0o777, 0o600);
    assert.equal(statSync(join(shell.home, file, '..')).mode & 0o777, 0o700);
    await region.restart();
    assert.equal(await token(), first, 'a restart changes nothing');

    const id = JSON.parse(Buffer.from(first.split('.')[0] ?? '', 'base64').toString()) as { kid: string };
    assert.equal((await region.call('DELETE', `/auth/v1/tokens/${id.kid}`)).status, 200);
    const second = await token();
    assert.notEqual(second, first, 'one that was deleted is replaced');
    await region.call('PUT', '/lab/clock', { advanceMs: 28 * 86_400_000 });
    assert.equal(await token(), second, 'two days are left');
    await region.call('PUT', '/lab/clock', { advanceMs: 86_400_000 + 60_000 });
    const third = await token();
    assert.notEqual(third, second, 'less than a day was left');
    writeFileSync(join(shell.home, file), 'nonsense');
    assert.notEqual(await token(), third);
  });

  test('--json says the same for programs, --unset takes all of it back', async () => {
    using shell = openShell();
    const variables = JSON.parse(await good(shell, 'cumulet env --json --data "$DATA"')) as {
      set: Record<string, string>;
      unset: string[];
    };
    assert.equal(variables.set.IONOS_API_URL, region.url);
    assert.ok(variables.unset.includes('IONOS_CONFIG_FILE'));
    const before = await good(shell, 'env | sort');
    const after = await good(
      shell,
      `${eval_()}; ${eval_('--proxy')}; ${eval_('--config')}; eval "$(cumulet env --unset)"; env | sort`,
    );
    assert.equal(after, before);
  });
});

suite('env --unset', () => {
  test('restores the previous values of the shell, whatever env did in between, and prints none of them', async () => {
    using shell = openShell();
    const outer = {
      IONOS_TOKEN: "re'al $(x)",
      IONOS_USERNAME: 'me',
      no_proxy: 'a.test',
      NO_PROXY: '',
      AWS_CA_BUNDLE: '/c',
    };
    const all = `${eval_()}; ${eval_('--proxy')}; ${eval_('--proxy')}; ${eval_('--config')}`;
    const before = await good(shell, 'env | sort', outer);
    assert.equal(await good(shell, `set -u; ${all}; eval "$(cumulet env --unset)"; env | sort`, outer), before);
    assert.equal(await good(shell, 'eval "$(cumulet env --unset)"; env | sort', outer), before, 'nothing was ours');
    assert.ok(
      !(await good(shell, `cumulet env --data "$DATA"; ${eval_()}; cumulet env --unset`, outer)).includes('al $(x)'),
    );
  });
});

suite('env --proxy', () => {
  test('adds to what the shell asks no proxy for, and leaves with the way that needed it', async () => {
    using shell = openShell();
    const outer = { no_proxy: 'a.test, .b.test', NO_PROXY: 'c.test,*,.ionos.com' };
    const set = variables(await good(shell, `${eval_('--proxy')}; ${eval_('--proxy')}; env`, outer));
    for (const name of ['no_proxy', 'NO_PROXY'])
      assert.equal(set[name], '127.0.0.1,localhost,::1,a.test,.b.test,c.test', name);
    const later = variables(await good(shell, `${eval_('--proxy')}; ${eval_()}; env`, outer));
    assert.deepEqual([later.no_proxy, later.NO_PROXY, later.HTTPS_PROXY], [outer.no_proxy, outer.NO_PROXY, undefined]);
  });

  test('keeps the roots that the shell had chosen, at the second time too', async () => {
    using shell = openShell();
    const own = join(shell.home, 'company.pem');
    writeFileSync(own, '-----BEGIN CERTIFICATE-----\ncompany\n-----END CERTIFICATE-----\n');
    const script = `${eval_('--proxy')}; ${eval_('--proxy')}; cat "$SSL_CERT_FILE"`;
    assert.match(await good(shell, script, { SSL_CERT_FILE: own }), /^-+BEGIN CERTIFICATE-+\ncompany\n/);
    const extra = join(shell.home, 'extra.pem');
    writeFileSync(extra, `# company\n${rootCertificates[0]}\n`);
    const node = await good(shell, `${eval_('--proxy')}; cat "$NODE_EXTRA_CA_CERTS"`, { NODE_EXTRA_CA_CERTS: extra });
    assert.ok(node.includes(`\n# company\n${rootCertificates[0]}\n`), 'what Node trusts as well');
    assert.ok(node.endsWith(readFileSync(join(region.data, 'ca.pem'), 'utf8')));
  });

  test('names the proxy and the roots under every name, and no endpoint', async () => {
    using shell = openShell();
    const set = variables(await good(shell, `${eval_('--proxy')}; env`, { IONOS_API_URL: 'https://real' }));
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'IONOS_HTTP_PROXY']) assert.equal(set[name], region.proxy, name);
    assert.equal(set.IONOS_API_URL, undefined);
    assert.equal(set.HTTP_PROXY, undefined);
    const bundle = readFileSync(set.SSL_CERT_FILE ?? '', 'utf8');
    const own = readFileSync(set.NODE_EXTRA_CA_CERTS ?? '', 'utf8');
    assert.ok(bundle.endsWith(own));
    assert.ok((bundle.match(/BEGIN CERTIFICATE/g)?.length ?? 0) > 10, "the system's roots are in it");
    for (const name of ['CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'AWS_CA_BUNDLE'])
      assert.equal(set[name], set.SSL_CERT_FILE, name);
  });

  test('a shell that is set up already gets the same bundle again, not one of a bundle', async () => {
    using shell = openShell();
    const count = 'grep -c BEGIN "$SSL_CERT_FILE"';
    const [one, two] = (await good(shell, `${eval_('--proxy')}; ${count}; ${eval_('--proxy')}; ${count}`)).split('\n');
    assert.equal(two, one);
    const { stdout } = await shell.run('cumulet ca --data "$DATA" && cumulet ca --bundle --data "$DATA"', {
      DATA: region.data,
    });
    assert.match(stdout, /^-----BEGIN CERTIFICATE-----\n[\w+/=\n]+-----END CERTIFICATE-----\n.*\/ca-bundle\.pem\n$/);
  });
});

suite('env --config', () => {
  test('writes the file of the command line and of Terraform, for its owner alone', async () => {
    using shell = openShell();
    const script = `${eval_('--config')}; printf '%s\\n' "$IONOS_CONFIG_FILE" "$IONOS_API_URL"`;
    const [file = '', url] = (await good(shell, script, { IONOS_API_URL: 'https://real' })).split('\n');
    assert.equal(url, '');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const text = readFileSync(file, 'utf8');
    assert.match(text, /^currentProfile: cumulet$/m);
    for (const path of ['/cloudapi/v6', '/auth/v1']) assert.ok(text.includes(`"${region.url}${path}"`), path);
  });

  const ionosctl = lookUp('ionosctl');
  test('is read by ionosctl, in all three ways', {
    skip: ionosctl ? false : 'ionosctl is not on the PATH',
  }, async () => {
    using shell = openShell();
    for (const options of ['', '--config', '--proxy']) {
      const { code, stdout, stderr } = await shell.run(`${eval_(options)}; ionosctl compute location list`, {
        DATA: region.data,
      });
      assert.equal(code, 0, `${options}: ${stdout}${stderr}`);
      assert.match(stdout, /de\/fra/, options);
    }
  });
});

function lookUp(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
