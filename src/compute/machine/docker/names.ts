// Names and labels of the objects that a region creates in the engine. Objects without the region's label are never
// changed.
export const regionLabel = 'cumulet.region';
export const machineLabel = 'cumulet.machine'; // the id of the server
export const bootLabel = 'cumulet.boot'; // the number of the boot
export const diskLabel = 'cumulet.disk'; // the id of the stored bytes
export const workLabel = 'cumulet.work'; // of containers that copy content
export const networkLabel = 'cumulet.network'; // of the container that connects machines
export const imageLabel = 'cumulet.image'; // of prepared images, which all regions of the engine share

export const machineName = (region: string, id: string): string => `cumulet-${region}-${id}`;
export const volumeName = (region: string, id: string): string => `cumulet-${region}-disk-${id}`;
export const networkName = (region: string): string => `cumulet-${region}-network`;
export const workName = (region: string, id: string): string => `cumulet-${region}-work-${id}`;
