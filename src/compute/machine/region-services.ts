// The services of the region, as its machines reach them: by the platform's host names and with the region's CA.
export interface RegionServices {
  domains: readonly string[]; // all names in them lead to the region
  certificate: string; // of the region's CA, as PEM
  place(port: number): { host: string; port: number }; // of the gateway, for port 80 or 443; once it listens
}
