// The XML documents of S3 that a seed may have for a bucket: the name in the seed, and the query that gets and sets it.
export const bucketDocuments: Readonly<Record<string, string>> = {
  tagging: 'tagging',
  cors: 'cors',
  lifecycle: 'lifecycle',
  encryption: 'encryption',
  website: 'website',
  ownershipControls: 'ownershipControls',
  acl: 'acl', // before the settings that may refuse it
  publicAccessBlock: 'publicAccessBlock',
  objectLock: 'object-lock',
};
