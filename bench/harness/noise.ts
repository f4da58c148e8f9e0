// Is the machine quiet enough and the harness fair? A raw server against its twin must come out even.
import { requestText } from './call.ts';
import { atLeast, type Bench, type Figure, type Measured, rate } from './figure.ts';
import { measurePairs } from './pair.ts';
import { type Peer, rawHttp } from './peers.ts';
import { doubts, loadedSide } from './rounds.ts';

const body = JSON.stringify({ id: 'x'.repeat(36), properties: { name: 'x'.repeat(800) } });
const headers = [
  'Content-Type',
  'application/json',
  'Content-Length',
  String(body.length),
  'Date',
  '',
  'Keep-Alive',
  '',
];
const authorization = `Bearer ${'x'.repeat(600)}`;
const sent = { properties: { name: 'bench', location: 'de/txl', description: 'made to be measured' } };

const get: Figure = {
  name: 'raw-get',
  title: 'GET, 16 connections, raw node:http',
  peer: 'its twin',
  demanded: '0.97–1.03',
  measure: (bench) => twins(bench, 'bytes', 16),
};

const post: Figure = {
  name: 'raw-post',
  title: 'POST, 50 connections, raw node:http that parses the body',
  peer: 'its twin',
  demanded: '0.97–1.03',
  measure: (bench) => twins(bench, 'parse', 50),
};

export const noiseFigures: readonly Figure[] = [get, post];

async function twins(bench: Bench, way: 'bytes' | 'parse', connections: number): Promise<Measured> {
  const one = await rawHttp(way, { status: 200, headers, body });
  const other = await rawHttp(way, { status: 200, headers, body });
  const side = ({ port, pid }: Peer) => {
    const method = way === 'parse' ? { method: 'POST', body: sent } : {};
    const requests = [requestText(port, { path: '/', authorization, ...method })];
    return loadedSide(bench.loader, {
      pid,
      load: { port, connections, requests, warmMs: 300, durationMs: bench.roundMs },
    });
  };
  try {
    const [ours, peer] = [side(one), side(other)];
    await ours.warmUp(bench.warmUpMs);
    await peer.warmUp(bench.warmUpMs);
    const pairing = await measurePairs(ours, peer, bench.pairs);
    const measured = atLeast(0.97, rate, pairing, doubts(ours, peer));
    return { ...measured, pass: measured.pass && pairing.ratio.median <= 1.03 };
  } finally {
    await one.stop();
    await other.stop();
  }
}
