// Items that are attached to different items on the two sides, such as a volume that was moved to another server.
import type { Values } from '../../base/json.ts';
import { type Match, type Translation, translate } from './matching.ts';

// Joins the two halves of a moved item: `there` without `here`, and the opposite.
export function joinMoved(matches: readonly Match[], toHere: Translation): Match[] {
  const halves = matches.filter((one) => isAttachable(one) && !(one.there && one.here));
  const other = new Map<Match, Match>();
  for (const keyOf of [idOf, nameOf]) {
    const open = halves.filter((one) => !other.has(one) && keyOf(one) !== '');
    const here = Map.groupBy(
      open.filter((one) => one.here),
      keyOf,
    );
    for (const [key, there] of Map.groupBy(
      open.filter((one) => one.there),
      keyOf,
    )) {
      const [from, to] = [there[0], here.get(key)?.[0]];
      const isUnique = there.length === 1 && here.get(key)?.length === 1;
      if (from && to && isUnique && !(from.isUnlisted && to.isUnlisted)) other.set(from, to).set(to, from);
    }
  }
  return matches.flatMap((match) => {
    const half = other.get(match);
    if (!half) return match.isUnlisted ? [] : [match];
    if (!match.there) return []; // it is joined with the other half
    translate(match.there, half.here as Values, toHere);
    const [there, here] = [ownerOf(match), ownerOf(half)];
    const attachedTo = { ...(here !== undefined && { here }), ...(there !== undefined && { there }) };
    return [{ ...match, ...withoutOwner(match), here: half.here, isKept: false, attachedTo }];
  });
}

const isAttachable = ({ section: { parent, resource } }: Match): boolean =>
  parent?.children.some(({ entities }) => entities.includes(resource.plural)) ?? false;

const idOf = ({ there, here }: Match): string => String((there ?? here)?.id ?? '');

// Within its datacenter.
function nameOf({ names, kinds }: Match): string {
  const name = names.at(-1);
  return name ? [names[0], kinds.at(-1), name].join('\n') : '';
}

// Undefined: it is not attached.
const ownerOf = ({ names, kinds, section }: Match): string | undefined =>
  kinds.at(-2) === section.parent?.resource.name ? undefined : names.at(-2);

function withoutOwner(match: Match): Pick<Match, 'names' | 'kinds'> {
  const { names, kinds } = match;
  if (ownerOf(match) === undefined) return { names, kinds };
  return { names: names.toSpliced(-2, 1), kinds: kinds.toSpliced(-2, 1) };
}
