// The declaration of the lab.
import type { Declaration } from '../surface/product.ts';
import { type LabSettings, labSettings } from './settings.ts';

export const lab: Declaration<LabSettings> = {
  name: 'lab',
  labels: { lab: 'Lab' },
  settings: labSettings,
  open: async (context, ports, settings) => (await import('./product.ts')).openLab(context, ports, settings),
};
