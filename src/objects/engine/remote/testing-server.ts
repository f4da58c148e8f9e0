// For tests: a small S3 server that stores one bucket in files. It checks signatures and lists in short pages.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { randomHex } from '../../../base/ids.ts';
import { sign } from '../../../core/s3-signature/sign.ts';

const bucket = 'blobs';
const prefix = 'region/';
const keysPerPage = 7;
const credentials = { accessKey: 'KEY', secretKey: 'SE/CRET', region: 'us-east-1' };

export interface TestingServer {
  address: string;
  fail(calls: number): void; // the next calls are answered with 503
  cut(): void; // the next body is aborted
  keys(): Promise<string[]>;
  uploads(): Promise<string[]>;
  close(): Promise<void>;
}

interface Call {
  req: IncomingMessage;
  res: ServerResponse;
  key: string;
  query: URLSearchParams;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

export async function startTestingServer(folder: string): Promise<TestingServer> {
  const objects = join(folder, 'objects');
  const uploads = join(folder, 'uploads');
  await mkdir(objects, { recursive: true });
  await mkdir(uploads, { recursive: true });
  let failures = 0;
  let isCut = false;
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '', `http://${req.headers.host}`);
    const key = decodeURIComponent(url.pathname.slice(`/${bucket}/`.length));
    const call = { req, res, key: key.replaceAll('/', ':'), query: url.searchParams };
    const answer = async (): Promise<void> => {
      if (failures > 0) {
        failures--;
        req.resume();
        throw new Refusal(503, 'SlowDown');
      }
      checkSignature(req, url);
      if (url.pathname.split('/')[1] !== bucket) throw new Refusal(404, 'NoSuchBucket');
      await (key === '' ? toBucket(call) : toObject(call));
    };
    answer().catch((error: unknown) => {
      if (res.headersSent) return void res.destroy();
      res.statusCode = error instanceof Refusal ? error.status : 500;
      res.end(`<Error><Code>${error instanceof Error ? error.message : ''}</Code></Error>`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const { accessKey, secretKey } = credentials;
  return {
    address: `s3+http://${accessKey}:${encodeURIComponent(secretKey)}@127.0.0.1:${port}/${bucket}/${prefix}`,
    fail: (calls) => {
      failures = calls;
    },
    cut: () => {
      isCut = true;
    },
    keys: () => readdir(objects),
    uploads: () => readdir(uploads),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };

  async function toBucket({ req, res, query }: Call): Promise<void> {
    if (req.method === 'POST' && query.has('delete')) {
      const body = await text(req);
      const digest = createHash('md5').update(body).digest('base64');
      if (req.headers['content-md5'] !== digest) throw new Refusal(400, 'BadDigest');
      for (const [, key = ''] of body.matchAll(/<Key>([^<]+)<\/Key>/g))
        await rm(join(objects, key.replaceAll('/', ':')), { force: true });
      res.end('<DeleteResult/>');
    } else if (query.has('uploads')) await listUploads(res, query);
    else await listObjects(res, query);
  }

  async function listObjects(res: ServerResponse, query: URLSearchParams): Promise<void> {
    const after = query.get('continuation-token') ?? '';
    const left = (await readdir(objects)).sort().filter((name) => name > after);
    const page = left.slice(0, keysPerPage);
    const contents = await Promise.all(
      page.map(async (name) => {
        const { size, mtime } = await stat(join(objects, name));
        const key = name.replaceAll(':', '/');
        const changed = mtime.toISOString();
        return `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${changed}</LastModified></Contents>`;
      }),
    );
    const next = left.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    res.end(`<ListBucketResult>${contents.join('')}${next}</ListBucketResult>`);
  }

  async function listUploads(res: ServerResponse, query: URLSearchParams): Promise<void> {
    const after = query.get('upload-id-marker') ?? '';
    const [first, ...more] = (await readdir(uploads)).sort().filter((name) => name > after);
    const [key = '', id] = first?.split('@') ?? [];
    const initiated = first && (await stat(join(uploads, first))).birthtime.toISOString();
    const upload = `<Key>${key.replaceAll(':', '/')}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated>`;
    const next = `<IsTruncated>true</IsTruncated><NextUploadIdMarker>${first}</NextUploadIdMarker>`;
    const root = 'ListMultipartUploadsResult';
    res.end(`<${root}>${first ? `<Upload>${upload}</Upload>` : ''}${more.length > 0 ? next : ''}</${root}>`);
  }

  async function toObject(call: Call): Promise<void> {
    const { req, res, key, query } = call;
    const object = join(objects, key);
    if (req.method === 'GET') return send(call, object);
    if (query.has('uploads')) {
      const id = randomHex(8);
      await mkdir(join(uploads, `${key}@${id}`));
      res.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
      return;
    }
    const id = query.get('uploadId');
    if (id === null) return receive(req, res, object);
    const upload = join(uploads, `${key}@${id}`);
    if (!(await stat(upload).catch(() => undefined))) throw new Refusal(404, 'NoSuchUpload');
    if (req.method === 'PUT') return receive(req, res, join(upload, query.get('partNumber') ?? ''));
    if (req.method === 'POST') await complete(await text(req), upload, object);
    await rm(upload, { recursive: true });
    res.end('<R/>');
  }

  async function send({ req, res }: Call, object: string): Promise<void> {
    const found = await stat(object).catch(() => undefined);
    if (!found) throw new Refusal(404, 'NoSuchKey');
    const [, start = '0', end = String(found.size - 1)] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? [];
    const length = Number(end) - Number(start) + 1;
    res.writeHead(req.headers.range ? 206 : 200, { 'content-length': length });
    if (length === 0) return void res.end();
    const cuts = isCut;
    isCut = false;
    const until = cuts ? Number(start) + Math.floor(length / 2) : Number(end);
    await pipeline(createReadStream(object, { start: Number(start), end: until }), res, { end: !cuts });
    if (cuts) res.destroy();
  }
}

async function receive(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(
    req,
    async function* (pieces) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(path),
  );
  const digest = hash.digest('hex');
  if (digest !== req.headers['x-amz-content-sha256']) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
  res.setHeader('etag', `"${digest}"`);
  res.end();
}

async function complete(body: string, upload: string, object: string): Promise<void> {
  for (const [, number = '', tag] of body.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"([^<]+)"<\/ETag>/g)) {
    const bytes = await readFile(join(upload, number));
    if (createHash('sha256').update(bytes).digest('hex') !== tag) throw new Refusal(400, 'InvalidPart');
    await appendFile(object, bytes);
  }
}

function checkSignature({ method = '', headers }: IncomingMessage, url: URL): void {
  const { authorization = '' } = headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const given = names
    .filter((name) => name !== 'host' && !/^x-amz-(?:date|content-sha256)$/.test(name))
    .map((name) => [name, String(headers[name])]);
  const time = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z');
  const request = {
    method,
    url,
    headers: Object.fromEntries(given),
    payloadHash: String(headers['x-amz-content-sha256']),
  };
  if (sign(request, credentials, Date.parse(time)).authorization !== authorization)
    throw new Refusal(403, 'SignatureDoesNotMatch');
}
