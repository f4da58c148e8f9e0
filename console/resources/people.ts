// The users who created and changed a resource: by e-mail address if it is known, otherwise by user id.

export interface Person {
  text: string;
  id: string | undefined; // of the user
}

export interface PeopleInMetadata {
  values: Readonly<Record<string, unknown>>; // the metadata with one line per person
  people: Readonly<Record<string, Person>>; // by the name of the line
}

const lines: readonly string[] = ['createdBy', 'lastModifiedBy'];

// Some services name users by URN. All also return the id.
export function peopleIn(
  metadata: Readonly<Record<string, unknown>>,
  emails: ReadonlyMap<string, string>,
): PeopleInMetadata {
  const people: Record<string, Person> = {};
  for (const line of lines) {
    const value = metadata[line];
    if (typeof value !== 'string' || value === '') continue;
    const own = metadata[`${line}UserId`];
    const id = typeof own === 'string' && own !== '' ? own : /:users\/([^/]+)$/.exec(value)?.[1];
    people[line] = { id, text: value.includes('@') ? value : (emails.get(id ?? '') ?? id ?? value) };
  }
  const isDuplicate = (name: string): boolean => name.endsWith('UserId') && name.slice(0, -'UserId'.length) in people;
  return { values: Object.fromEntries(Object.entries(metadata).filter(([name]) => !isDuplicate(name))), people };
}

// True if the e-mail address of a person must be looked up.
export const isUnknown = ({ people }: PeopleInMetadata): boolean =>
  Object.values(people).some(({ id, text }) => id !== undefined && text === id);
