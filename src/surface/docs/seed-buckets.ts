// What a seed says of a bucket as S3's own XML documents: by its name in the seed, the query that gets and sets it.
export const bucketDocuments: Readonly<Record<string, string>> = {
  tagging: 'tagging',
  cors: 'cors',
  lifecycle: 'lifecycle',
  encryption: 'encryption',
  website: 'website',
  ownershipControls: 'ownershipControls',
  publicAccessBlock: 'publicAccessBlock',
  objectLock: 'object-lock',
};
