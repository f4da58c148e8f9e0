// E-mails sent to an independent mail server: plain, with STARTTLS and with TLS, with a password.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite, test } from 'node:test';
import {
  type CertificatePair,
  createAuthority,
  issueCertificate,
} from '../../../src/testing/black-box/certificates.ts';
import { type AlertPayload, machineTime, send } from '../../../src/testing/black-box/monitoring.ts';
import { bound } from '../../../src/testing/bound.ts';
import { find, pythonWith } from '../../clients/install.ts';

const python = find('CUMULET_PYTHON', 'python3');

interface Letter {
  from: string;
  to: string[];
  encrypted: boolean;
  user: string | null;
  text: string;
}

const authority = await createAuthority({ commonName: 'test', days: 1, now: machineTime });

suite('a real mail server', { skip: python.skip ?? false }, () => {
  for (const way of ['plain', 'starttls', 'tls'] as const) {
    test(`[METRIC-07] accepts our e-mails: ${way}`, async () => {
      await using server = await MailProcess.open(way, authority);
      const front = way === 'tls' ? 'smtps' : 'smtp';
      const user = way === 'plain' ? '' : 'alerts%40example.test@';
      const url = `${front}://${user}127.0.0.1:${server.port}`;
      const mail = (password: string) => {
        const properties = {
          name: 'mail',
          type: 'email',
          url,
          takesAll: true,
          sendResolved: true,
          from: null,
        } as const;
        const recipients = ['one@example.test', 'two@example.test'];
        const channel = {
          properties: { ...properties, recipients },
          secrets: { secret: '', password, authorization: '' },
        };
        return send({ real: machineTime, authorities: [authority.certificate] }, channel, payload, 'delivery-1');
      };
      assert.match(await mail('right p@ssword'), /^answered 250 OK/);
      const letter = await server.letter();
      assert.deepEqual(letter.to, ['one@example.test', 'two@example.test']);
      assert.deepEqual(
        [letter.encrypted, letter.user, letter.from],
        way === 'plain' ? [false, null, 'cumulet@localhost'] : [true, 'alerts@example.test', 'alerts@example.test'],
      );
      assert.match(letter.text, /^Subject: \[FIRING:1\] High$/m);
      const body = letter.text.slice(letter.text.indexOf('\r\n\r\n'));
      assert.match(Buffer.from(body, 'base64').toString(), /High\r\n {2}host = größer/);
      if (way !== 'plain') await assert.rejects(mail('wrong'), /^\w+: AUTH: the server answered 535/);
    });
  }
});

const payload: AlertPayload = {
  version: '4',
  groupKey: 'k',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'mail',
  groupLabels: { rule_group: 'g', rule_namespace: 'n' },
  commonLabels: { alertname: 'High' },
  commonAnnotations: {},
  externalURL: 'http://localhost/console',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'High', host: 'größer' },
      annotations: { summary: '.begins with a dot' },
      startsAt: '2026-01-01T00:00:00.000Z',
      endsAt: '',
      generatorURL: 'http://localhost/console?expr=x',
      fingerprint: '0',
    },
  ],
};

class MailProcess {
  readonly port: number;
  #child: ChildProcess;
  #lines: AsyncIterator<string>;
  #folder: string;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, port: number, folder: string) {
    this.#child = child;
    this.#lines = lines;
    this.port = port;
    this.#folder = folder;
  }

  static async open(way: string, authority: CertificatePair): Promise<MailProcess> {
    const interpreter = await pythonWith(python.path as string, 'aiosmtpd');
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-mail-'));
    const request = { commonName: 'mail', days: 1, now: machineTime, hosts: ['127.0.0.1'] };
    const { certificate, key } = await issueCertificate(authority, request);
    writeFileSync(join(folder, 'certificate.pem'), certificate);
    writeFileSync(join(folder, 'key.pem'), key);
    const script = join(import.meta.dirname, 'mail-server.py');
    const args = ['-B', '-W', 'ignore', script, way, join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    const child = spawn(...bound(interpreter, args), { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    assert.ok(!done, 'the mail server did not start');
    return new MailProcess(child, lines, Number(value), folder);
  }

  async letter(): Promise<Letter> {
    const { value, done } = await this.#lines.next();
    assert.ok(!done, 'the mail server has ended');
    return JSON.parse(value) as Letter;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill();
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
