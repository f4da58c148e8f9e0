// Who made and changed a thing: by the e-mail address where it is known, otherwise by the id of the user.

export interface Person {
  text: string;
  id: string | undefined; // of the user
}

export interface Told {
  values: Readonly<Record<string, unknown>>; // the metadata with one line for each person
  people: Readonly<Record<string, Person>>; // by the name of their line
}

const lines: readonly string[] = ['createdBy', 'lastModifiedBy'];

// Some services name users by a URN, and all tell the id besides.
export function peopleIn(metadata: Readonly<Record<string, unknown>>, emails: ReadonlyMap<string, string>): Told {
  const people: Record<string, Person> = {};
  for (const line of lines) {
    const value = metadata[line];
    if (typeof value !== 'string' || value === '') continue;
    const own = metadata[`${line}UserId`];
    const id = typeof own === 'string' && own !== '' ? own : /:users\/([^/]+)$/.exec(value)?.[1];
    people[line] = { id, text: value.includes('@') ? value : (emails.get(id ?? '') ?? id ?? value) };
  }
  const isTwice = (name: string): boolean => name.endsWith('UserId') && name.slice(0, -'UserId'.length) in people;
  return { values: Object.fromEntries(Object.entries(metadata).filter(([name]) => !isTwice(name))), people };
}

// Whether the address of somebody has to be looked up.
export const isUnknown = ({ people }: Told): boolean =>
  Object.values(people).some(({ id, text }) => id !== undefined && text === id);
