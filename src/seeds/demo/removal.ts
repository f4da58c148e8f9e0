// Deletes what the demo created, and nothing else: a resource that others have added to stays, and is reported.
import type { S3Client } from '../../core/s3-client/client.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import type { SeedClient } from '../seed-client.ts';
import { isBelowAny, Undo } from '../undo.ts';

const hasOthers = 'it contains resources that the demo did not create.';

// Returns what could not be deleted, each with the reason.
export async function removeMade(
  client: SeedClient,
  sections: ReadonlyMap<string, Section>,
  made: readonly string[],
): Promise<string[]> {
  const own = new Set(made);
  const kept: string[] = [];
  const undo = new Undo();
  for (const root of made.filter((path) => !isBelowAny(path, own))) {
    const below = made.filter((path) => path.startsWith(`${root}/`));
    const remove = async (): Promise<string | undefined> => {
      const foreign = (await pathsBelow(client, root, sectionAt(sections, root))).some((path) => !own.has(path));
      if (!foreign) return client.remove(root);
      const parts = new Undo();
      for (const path of below) parts.add(path, () => client.remove(path)); // one by one: others stay in them
      kept.push(`${root}: ${hasOthers}`, ...(await parts.takeBack()));
      return undefined;
    };
    undo.addCreated(root, root, remove);
  }
  return [...(await undo.takeBack()), ...kept];
}

// The paths of all resources in one.
async function pathsBelow(client: SeedClient, path: string, section: Section | undefined): Promise<string[]> {
  const found: string[] = [];
  for (const child of section?.children ?? []) {
    const collection = `${path}/${child.resource.plural}`;
    for (const { id } of await client.list(collection)) {
      const inner = `${collection}/${id}`;
      found.push(inner, ...(await pathsBelow(client, inner, child)));
    }
  }
  return found;
}

function sectionAt(sections: ReadonlyMap<string, Section>, path: string): Section | undefined {
  const all = [...sections.values()].flatMap(function deep(one): Section[] {
    return [one, ...one.children.flatMap(deep)];
  });
  const collection = path.slice(0, path.lastIndexOf('/'));
  return all.find(({ prefix, path: pattern }) =>
    new RegExp(`${prefix}${pattern.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(collection),
  );
}

// Deletes the objects that the demo put into a bucket, and then the bucket. One that contains others stays.
export async function removeBucket(s3: S3Client, bucket: string, isOwn: (key: string) => boolean): Promise<string[]> {
  const answer = await s3.call({ method: 'GET', bucket, query: { 'list-type': 2 } });
  const listed = await answer.text();
  if (answer.status === 404) return [];
  const keys = [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key).filter(isOwn);
  for (const key of keys) await discard(s3.call({ method: 'DELETE', bucket, key }));
  const { ok, status } = await discard(s3.call({ method: 'DELETE', bucket }));
  if (ok || status === 404) return [];
  return [`bucket ${bucket}: ${status === 409 ? hasOthers : `the object storage returned ${status}.`}`];
}

async function discard(answer: Promise<Response>): Promise<Response> {
  const got = await answer;
  await got.body?.cancel();
  return got;
}
