// Short names of browsers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentName } from '../../../console/account/agent-name.ts';

test('browsers and programs have short names', () => {
  const mozilla = 'Mozilla/5.0';
  const like = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  for (const [agent, name] of [
    [`${mozilla} (X11; Linux x86_64) ${like} Chrome/131.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`${mozilla} (X11; Linux x86_64) ${like} HeadlessChrome/131.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`${mozilla} (Windows NT 10.0; Win64; x64) ${like} Chrome/131.0 Safari/537.36 Edg/131.0`, 'Edge on Windows'],
    [`${mozilla} (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0`, 'Firefox on macOS'],
    [`${mozilla} (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${like} Version/18.1 Safari/604.1`, 'Safari on iOS'],
    [`${mozilla} (Linux; Android 15) ${like} Chrome/131.0 Mobile Safari/537.36`, 'Chrome on Android'],
    ['curl/8.11.0', 'curl/8.11.0'],
    ['', 'Unknown program'],
  ] as const)
    assert.equal(agentName(agent), name);
});
