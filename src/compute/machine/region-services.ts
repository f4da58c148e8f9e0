// The services of the region, as its machines reach them: by the platform's host names and with the region's CA.
export interface RegionServices {
  domains: readonly string[]; // all names in them lead to the region
  certificate: string; // of the region's CA, as PEM
  brokers(): { host: string; port: number } | undefined; // a name, and the first of the ports that lead to brokers
  // Where the region listens for connections to this port: 80, 443 or a broker's. Once it listens.
  place(port: number): { host: string; port: number };
}
