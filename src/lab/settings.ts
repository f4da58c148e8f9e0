// The settings of the lab.
import { assign, type Section } from '../config/section.ts';
import { flagOf } from '../config/setting-values.ts';

export interface LabSettings {
  isServed: boolean;
}

export const labSettings: Section<LabSettings> = {
  defaults: { isServed: true },
  options: {
    lab: {
      isOnByDefault: true,
      help: 'the lab at /lab, which moves the clock and injects faults',
      set: (values, text) => assign(values, { isServed: flagOf('lab', text) }),
    },
  },
};
