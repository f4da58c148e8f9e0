// Rows with selected properties only, so that long lists stay small: `name`, or `nics.ips` for the resources in them.
import type { Values } from '../../base/json.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { one, partOf, type View } from './envelope.ts';
import { Canvas } from './sliced-rendering.ts';

interface ItemView {
  id: string;
  properties: Values;
  entities?: Values;
}

const atOnce = 8; // rows; a state in another process answers several reads in the time of one

// `fields`: the names of properties, with the collection for those of the resources in a row.
export async function drawShown(
  view: View,
  resource: Resource,
  rows: readonly Row[],
  fields: readonly string[],
): Promise<string> {
  const canvas = new Canvas();
  const nested = fields.map((field) => field.split('.')).filter(([, name]) => name !== undefined);
  const byPart = Map.groupBy(nested, ([part = '']) => part);
  const parts = [...byPart].flatMap(([name, paths]) => {
    const part = partOf(view.model, resource, name);
    return part ? [{ part, names: paths.map(([, property = '']) => property) }] : [];
  });
  const textOf = async (row: Row): Promise<string> => {
    const entities = await Promise.all(
      parts.map(async ({ part, names }): Promise<[string, Values]> => {
        const inside = await part.rows(row, pathOf(row), view.reader);
        const items = await Promise.all(inside.map(async (each) => selected(await itemOf(view, part.of, each), names)));
        return [part.name, { items: items.map(({ id, properties }) => ({ id, properties })) }];
      }),
    );
    const item = selected(await itemOf(view, resource, row), fields);
    return JSON.stringify({ ...item, entities: Object.fromEntries(entities) });
  };
  for (let at = 0; at < rows.length; at += atOnce) {
    if (canvas.isDue) await canvas.pause();
    const texts = await Promise.all(rows.slice(at, at + atOnce).map(textOf));
    canvas.pieces.push(at > 0 ? ',' : '', texts.join(','));
  }
  return canvas.pieces.join('');
}

const itemOf = async (view: View, resource: Resource, row: Row): Promise<ItemView> =>
  JSON.parse(await one(view, resource, row, 0)) as ItemView;

const selected = (item: ItemView, names: readonly string[]): ItemView => ({
  ...item,
  properties: Object.fromEntries(Object.entries(item.properties).filter(([name]) => names.includes(name))),
});
