// The formats of user data, and how they are recognized.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userDataFormat } from './userdata.ts';

const of = (text: string | Buffer) => userDataFormat(Buffer.from(text).toString('base64'));
const problemOf = (base64: string): string => {
  const found = userDataFormat(base64);
  return 'problem' in found ? found.problem : '';
};

test('[CORE-14] the formats are recognized by the beginning of the decoded text', () => {
  const formats = {
    '#cloud-config\nusers: []': 'cloud-config',
    '#!/bin/bash\ntouch /x': 'script',
    'Content-Type: text/x-shellscript\n\n#!/bin/sh': 'shellscript',
    'content-type: text/X-shellscript': 'shellscript',
    '#include\nhttps://example.com/x': 'include',
    '#upstart-job\ndescription "x"': 'upstart-job',
    'Content-Type: text/upstart-job': 'upstart-job',
  };
  for (const [text, format] of Object.entries(formats)) assert.deepEqual(of(text), { format }, text);
});

test('[CORE-14] invalid base64 is refused', () => {
  const bad = ['#cloud-config', 'I2Nsb3VkLWNvbmZpZw=', 'I2Nsb', 'I2Ns b3VkLWNvbmZpZw==', 'I2-_', '====', 'ä'];
  for (const text of bad) assert.match(problemOf(text), /^Expected base64/, text);
});

test('[CORE-14] other beginnings are unhandled', () => {
  for (const text of ['hello', '', ' #cloud-config', '\n#!/bin/sh', '#clouds', Buffer.from([0x1f, 0x8b, 8, 0])])
    assert.deepEqual(of(text), { format: 'unhandled' });
  assert.deepEqual(userDataFormat('foo'), { format: 'unhandled' });
});

test('[CORE-14] the padding may be omitted', () => {
  for (const base64 of ['I2Nsb3VkLWNvbmZpZw', 'I2Nsb3VkLWNvbmZpZwo', 'I2Nsb3VkLWNvbmZpZwoK'])
    assert.deepEqual(userDataFormat(base64), { format: 'cloud-config' }, base64);
});

test('lines wrapped by the base64 command, and long data, are accepted', () => {
  const wrapped = Buffer.from(`#!/bin/sh\n${'x'.repeat(100_000)}`)
    .toString('base64')
    .replaceAll(/(.{76})/g, '$1\n');
  assert.deepEqual(userDataFormat(`${wrapped}\n`), { format: 'script' });
});
