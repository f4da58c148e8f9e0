// CreateBucket. A bucket of a contract region belongs to the contract, one of a user region to the user who creates it.
import { demandPrivilege } from '../../../core/access.ts';
import { ownsBucket } from '../../access/authorization.ts';
import { grantsIn } from '../../access/grant-headers.ts';
import { isUserRegion, storageRegions } from '../../service/host.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { checkBucketName } from '../../wire/http/bucket-name.ts';
import { checkObjectOwnership, readCreateBucketConfiguration } from '../../wire/xml/bucket-documents.ts';

const mostBuckets = 500; // of a contract

export const createBucket = operation({
  name: 'CreateBucket',
  method: 'PUT',
  target: 'bucket',
  async call(request) {
    const { who, tools, header } = request;
    demandPrivilege(who, 's3Privilege');
    const name = checkBucketName(request.bucketName);
    const { locationConstraint } = readCreateBucketConfiguration(await request.document());
    const region = regionOf(request, locationConstraint);
    if ((await tools.buckets.list(who.contract)).length >= mostBuckets) throw s3Fault('TooManyBuckets');
    const hasLock = header('x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true';
    const grants = grantsIn(request, who);
    const objectOwnership = header('x-amz-object-ownership');
    const made = {
      name,
      contract: who.contract,
      owner: who.user,
      created: tools.now(),
      ownership: isUserRegion(region) ? ('user' as const) : ('contract' as const),
      region,
      ...(hasLock && { versioning: 'Enabled' as const, objectLock: { defaultRetention: undefined } }),
      ...(grants && { grants }),
      ...(objectOwnership !== undefined && { objectOwnership: checkObjectOwnership(objectOwnership) }),
    };
    await tools.buckets.create(made, (other) => ownsBucket(who, other));
    request.bucket = await tools.buckets.demand(name);
    return emptyReply(200, ['Location', `/${name}`]);
  },
});

// An unknown region is stored, too: clients that are configured for this server name their own.
function regionOf({ host, signer, tools }: S3Request, named: string | undefined): string {
  const region = named ?? host.region ?? storageRegions.find((one) => one === signer?.region) ?? tools.homeRegion;
  if (!/^[a-zA-Z0-9-]{1,63}$/.test(region)) throw s3Fault('InvalidLocationConstraint');
  if (host.region !== undefined && named !== undefined && named !== host.region)
    throw s3Fault(
      'IllegalLocationConstraintException',
      `The ${named} location constraint is incompatible for the region specific endpoint this request was sent to.`,
    );
  return region;
}
