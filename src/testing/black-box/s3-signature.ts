// Signs requests of the S3 interface that the clients from npm would not send.
export { presign } from '../../core/s3-signature/presign.ts';
export { sign } from '../../core/s3-signature/sign.ts';
