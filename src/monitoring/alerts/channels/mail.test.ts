// The dialogue with mail servers: plain, with TLS from the beginning or with STARTTLS, with passwords, and failures.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { letterText } from './letter.ts';
import { type Mailing, sendMail } from './mail.ts';
import { authority, certificate, MailServer, type MailServerOptions } from './mail-testing.ts';
import type { AlertPayload } from './payload.ts';
import { DeliveryError } from './webhook.ts';

const mailing: Mailing = {
  url: '',
  password: 'pa ss',
  from: 'from@example.test',
  recipients: ['a@example.test', 'b@example.test'],
  message: 'Subject: x\r\n\r\n.begins with a dot\r\n..two\r\nend\r\n',
  authorities: [authority.certificate],
};
const pair = await certificate(['127.0.0.1', 'localhost']);
const send = (server: MailServer, front: string, changes: Partial<Mailing> = {}): Promise<string> =>
  sendMail({ ...mailing, url: `${front}127.0.0.1:${server.port}`, ...changes });
const plain = Buffer.from('\0user@x\0pa ss').toString('base64');

test('[METRIC-07] a message is sent, with its dots', async () => {
  using server = await MailServer.open();
  assert.match(await send(server, 'smtp://'), /^answered 250 2\.0\.0 queued/);
  assert.deepEqual(server.said.slice(0, 5), [
    'EHLO [127.0.0.1]',
    'MAIL FROM:<from@example.test>',
    'RCPT TO:<a@example.test>',
    'RCPT TO:<b@example.test>',
    'DATA',
  ]);
  assert.deepEqual(server.letters, ['Subject: x\r\n\r\n.begins with a dot\r\n..two\r\nend']);
});

test('STARTTLS is used when it is offered, and only the greeting is sent before it', async () => {
  using server = await MailServer.open({ features: ['SIZE 1000', 'STARTTLS', 'AUTH PLAIN'], pair });
  await send(server, 'smtp://user%40x@');
  assert.deepEqual(server.said.slice(0, 5), [
    'EHLO [127.0.0.1]',
    'STARTTLS',
    '+EHLO [127.0.0.1]',
    `+AUTH PLAIN ${plain}`,
    '+MAIL FROM:<from@example.test>',
  ]);
  assert.ok(server.said.slice(2).every((line) => line.startsWith('+')));
});

test('smtps is encrypted from the beginning, and its certificate must be valid', async () => {
  const encoded = (text: string): string => `+${Buffer.from(text).toString('base64')}`;
  const replies = { 'AUTH LOGIN': '334 user', [encoded('pa ss').slice(1)]: '235 welcome' };
  using server = await MailServer.open({ features: ['AUTH LOGIN'], replies, pair, secure: true });
  await send(server, 'smtps://user%40x@');
  assert.deepEqual(server.said.slice(0, 4), ['+EHLO [127.0.0.1]', '+AUTH LOGIN', encoded('user@x'), encoded('pa ss')]);
  await assert.rejects(send(server, 'smtps://', { authorities: [] }), DeliveryError);
  using other = await MailServer.open({ pair: await certificate(['elsewhere.test']), secure: true });
  await assert.rejects(send(other, 'smtps://'), /altnames|Hostname|does not match/i);
});

const away = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test('a password is not sent in plain text, nor to a server without a valid certificate', {
  skip: away === undefined ? 'this machine has only its loopback address' : false,
}, async () => {
  const features = ['AUTH PLAIN'];
  using open = await MailServer.open({ features, host: '0.0.0.0' });
  const url = `smtp://user@${away}:${open.port}`;
  await assert.rejects(sendMail({ ...mailing, url }), /offers no TLS, and the password is not sent in plain text/);
  assert.ok(!open.said.some((line) => line.startsWith('AUTH')));
  await sendMail({ ...mailing, url: `smtp://${away}:${open.port}` });
  const doubtful = {
    features: [...features, 'STARTTLS'],
    host: '0.0.0.0',
    pair: await certificate(['elsewhere.test']),
  };
  using other = await MailServer.open(doubtful);
  await assert.rejects(sendMail({ ...mailing, url: `smtp://user@${away}:${other.port}` }), DeliveryError);
  assert.deepEqual(other.said.slice(2), []);
  await sendMail({ ...mailing, url: `smtp://${away}:${other.port}` });
  assert.ok(other.said.includes('+DATA'), 'without a password to lose, any certificate is better than none');
});

test('a refusal of the server is reported, without the password', async () => {
  const wrong: [MailServerOptions, string, RegExp][] = [
    [{ greeting: '554 refused' }, 'smtp://', /^the connection: the server answered 554 refused/],
    [{ greeting: 'SSH-2.0-x' }, 'smtp://', /does not speak SMTP/],
    [{ replies: { EHLO: '502 no', HELO: '502 no' } }, 'smtp://', /^HELO: the server answered 502/],
    [{ replies: { MAIL: '550-no\r\n550 mail' } }, 'smtp://', /^MAIL: the server answered 550 no mail/],
    [
      { replies: { RCPT: '550 no such user' } },
      'smtp://',
      /no recipient was accepted: a@example.test: 550 .*b@example/,
    ],
    [{ replies: { DATA: '451 later' } }, 'smtp://', /^DATA: the server answered 451/],
    [{ replies: { '.': '554 spam' } }, 'smtp://', /^the message: the server answered 554 spam/],
    [{ features: ['AUTH PLAIN'], replies: { AUTH: '535 wrong' } }, 'smtp://u@', /^AUTH: the server answered 535 wrong/],
    [{ features: ['AUTH GSSAPI'] }, 'smtp://u@', /supports neither AUTH PLAIN nor AUTH LOGIN/],
    [{ features: ['STARTTLS'], replies: { STARTTLS: '454 not now' } }, 'smtp://', /^STARTTLS: the server answered 454/],
  ];
  for (const [options, front, problem] of wrong) {
    using server = await MailServer.open(options);
    await assert.rejects(send(server, front), (error) => {
      assert.ok(error instanceof DeliveryError);
      assert.match(error.message, problem);
      assert.ok(!error.message.includes('pa ss') && !error.message.includes(plain));
      return true;
    });
  }
  await assert.rejects(sendMail({ ...mailing, url: 'smtp://127.0.0.1:1' }), /ECONNREFUSED/);
});

test('one refused recipient does not affect the others', async () => {
  using server = await MailServer.open({ replies: { 'RCPT TO:<b@example.test>': '550 unknown' } });
  assert.match(await send(server, 'smtp://'), /^answered 250 .*; not for b@example\.test: 550 unknown/);
  assert.equal(server.letters.length, 1);
});

test('[METRIC-07] an e-mail lists the alerts in lines that every server forwards', () => {
  const payload: AlertPayload = {
    version: '4',
    groupKey: 'k',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'mail',
    groupLabels: { rule_group: 'web', rule_namespace: 'app' },
    commonLabels: { alertname: `Überlauf\r\nBcc: x@y ${'lang '.repeat(30)}` },
    commonAnnotations: {},
    externalURL: 'http://localhost/console',
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'Überlauf', host: 'a' },
        annotations: { summary: 'voll: 95 % – schnell!' },
        startsAt: '2026-01-01T00:00:00.000Z',
        endsAt: '',
        generatorURL: 'http://localhost/console?expr=x',
        fingerprint: '0',
      },
    ],
  };
  const text = letterText({ from: 'f@example.test', to: ['a@b.test', 'c@d.test'], payload, delivery: 'id', nowMs: 0 });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  assert.ok(text.split('\r\n').every((line) => line.length <= 78 && /^[\x20-\x7e]*$/.test(line)));
  assert.match(head, /^To: a@b\.test,\r\n c@d\.test\r\n/m);
  assert.match(head, /^Date: Thu, 01 Jan 1970 00:00:00 \+0000\r\nMessage-ID: <id@example\.test>\r\n/m);
  assert.doesNotMatch(head, /^Bcc/m);
  const subject = /^Subject: ((?:.*\r\n )*.*)$/m.exec(head)?.[1] ?? '';
  const decoded = subject.replace(/=\?utf-8\?B\?(.*?)\?=(?:\r\n )?/g, (_, part: string) =>
    Buffer.from(part, 'base64').toString(),
  );
  assert.match(decoded, /^\[FIRING:1\] Überlauf {2}Bcc: x@y lang/);
  const shown = Buffer.from(body, 'base64').toString();
  assert.match(shown, /^Firing \(1\)\r\n\r\nÜberlauf\r\n {2}host = a\r\n {2}summary: voll: 95 % – schnell!/);
});
