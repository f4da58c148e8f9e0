// Templates have other ids on other platforms. In a dump, a Cube or a GPU server has the template of the same name, or
// the nearest one in size.
import { isObject, type Values } from '../../base/json.ts';
import type { OfferedTemplate } from '../../surface/product.ts';
import type { Adapted } from './tree.ts';

export class Templates {
  readonly #there: ReadonlyMap<string, Values>; // by id
  readonly #here: readonly OfferedTemplate[];

  constructor(there: ReadonlyMap<string, Values>, here: readonly OfferedTemplate[]) {
    this.#there = there;
    this.#here = here;
  }

  adaptServer(values: Values, chosen: Values): Adapted {
    const id = values.templateUuid;
    if (typeof id !== 'string' || id === '' || this.#here.some((one) => one.id === id)) return {};
    const original = { ...values, ...this.#there.get(id) };
    const name = String(this.#there.get(id)?.name ?? id);
    const same = this.#here.find((one) => one.name === name);
    const own = same ?? this.#nearest(original, values.type === 'GPU');
    if (!own) return { note: `The region has no template for a server of the type ${values.type}` };
    chosen.templateUuid = { id, name };
    values.templateUuid = own.id;
    if (same) return {};
    return { placeholder: `The template ${sized(own, own.name)} replaces ${sized(original, name)}` };
  }

  // The smallest one that has as much of everything, or at least as many cores and as much RAM; otherwise the largest.
  #nearest(original: Values, isGpu: boolean): OfferedTemplate | undefined {
    const ofKind = this.#here.filter(({ gpus }) => gpus.length > 0 === isGpu);
    const bySize = ofKind.toSorted((a, b) => a.ram - b.ram || a.cores - b.cores || a.storageSize - b.storageSize);
    const large = bySize.filter((one) =>
      (['cores', 'ram'] as const).every((size) => one[size] >= Number(original[size])),
    );
    return large.find((one) => one.storageSize >= Number(original.storageSize)) ?? large[0] ?? bySize.at(-1);
  }

  // The volume that a template determines gets the size of the new one.
  fitVolume(values: Values, { templateUuid, was }: Values): void {
    const id = isObject(was) && isObject(was.templateUuid) ? was.templateUuid.id : undefined;
    const own = this.#here.find((one) => one.id === templateUuid);
    if (own && own.gpus.length > 0 && values.size === this.#there.get(String(id))?.storageSize)
      Object.assign(values, { type: own.storageType, size: own.storageSize });
  }
}

const mbOfGb = 1024;
const sized = ({ cores, ram }: Values | OfferedTemplate, name: string): string =>
  `${name} (${cores} cores, ${Number(ram) / mbOfGb} GB of RAM)`;
