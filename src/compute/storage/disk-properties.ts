// Properties shared by volumes, snapshots and images.
import { flag, type Properties } from '../../core/schema.ts';

export const licenceTypes = [
  'UNKNOWN',
  'WINDOWS',
  'WINDOWS2016',
  'WINDOWS2019',
  'WINDOWS2022',
  'WINDOWS2025',
  'RHEL',
  'LINUX',
  'OTHER',
];

export const applicationTypes = [
  'MSSQL-2019-Web',
  'MSSQL-2019-Standard',
  'MSSQL-2019-Enterprise',
  'MSSQL-2022-Web',
  'MSSQL-2022-Standard',
  'MSSQL-2022-Enterprise',
  'UNKNOWN',
];

export const allHotPlugs = [
  'cpuHotPlug',
  'cpuHotUnplug',
  'ramHotPlug',
  'ramHotUnplug',
  'nicHotPlug',
  'nicHotUnplug',
  'discVirtioHotPlug',
  'discVirtioHotUnplug',
  'discScsiHotPlug',
  'discScsiHotUnplug',
] as const;

// The devices and sizes that can be added to a running machine, or removed from it.
export const hotPlugFlags = (names: readonly (typeof allHotPlugs)[number][]): Properties =>
  Object.fromEntries(names.map((name) => [name, flag()]));
