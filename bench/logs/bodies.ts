// Pushes of lines in Loki's protobuf form, created beforehand and stored one after another in a file: 20 streams, lines
// of 114 bytes on average as a web service writes them, evenly over some hours. One of all lines has a unique word.
import { closeSync, openSync, writeSync } from 'node:fs';
import { compress } from '../../src/core/compression/snappy.ts';
import { ProtobufWriter } from '../../src/core/push/protobuf/writer.ts';
import { type Chance, seeded } from '../../src/testing/seed.ts';
import type { BodyFile } from '../metrics/bodies.ts';

export const streams = 20;
const linesOfStream = 250;
export const linesOfBody = streams * linesOfStream;
export const rareWord = 'zebrafinch';

export interface LineBodies extends BodyFile {
  lines: number;
  lineBytes: number;
  endMs: number;
}

export interface MadeLines {
  bodies: number;
  beginMs: number;
  endMs: number;
  slices: number; // connections that the bodies are spread over
}

export function makeLineBodies(path: string, { bodies, beginMs, endMs, slices }: MadeLines): LineBodies {
  const chance = seeded(25);
  const offsets = [0];
  const file = openSync(path, 'w');
  const eachNs = ((endMs - beginMs) * 1_000_000) / (bodies * linesOfBody);
  let [at, lineBytes] = [0, 0];
  for (let body = 0; body < bodies; body++) {
    const writer = new ProtobufWriter(1 << 20);
    for (let stream = 0; stream < streams; stream++)
      writer.message(1, () => {
        writer.text(1, `{tag="bench", host="node-${stream}"}`);
        for (let line = 0; line < linesOfStream; line++) {
          const nth = body * linesOfBody + line * streams + stream;
          const isRare = nth === Math.floor((bodies * linesOfBody) / 3);
          const text = lineOf(chance, isRare ? rareWord : 'request');
          lineBytes += text.length;
          const ns = Math.round(nth * eachNs);
          const ms = beginMs + Math.floor(ns / 1_000_000);
          writer.message(2, () => {
            writer.message(1, () => {
              writer.int64(1, Math.floor(ms / 1000));
              writer.int64(2, (ms % 1000) * 1_000_000 + (ns % 1_000_000));
            });
            writer.text(2, text);
          });
        }
      });
    at += writeSync(file, compress(writer.written));
    offsets.push(at);
  }
  closeSync(file);
  return { path, slices, offsets, beginMs, endMs, lines: bodies * linesOfBody, lineBytes };
}

const methods = ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'];
const resources = ['orders', 'users', 'carts', 'items', 'sessions', 'invoices'];
const statuses = [200, 200, 200, 200, 201, 204, 304, 404, 500, 503];

function lineOf(chance: Chance, word: string): string {
  const { below, one } = chance;
  const id = (below(2 ** 30) * 4 + below(4)).toString(16).padStart(8, '0');
  return (
    `level=${below(20) ? 'info' : 'warn'} msg=${word} method=${one(methods)} path=/api/v1/${one(resources)}/${below(100_000)} ` +
    `status=${one(statuses)} took=${below(1000)}ms bytes=${below(65_536)} trace=${id} az=${below(3)}a`
  );
}
