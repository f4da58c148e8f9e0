// PostObject: an upload by an HTML form. The signed policy in the form identifies the caller and limits the upload; a
// form without one is anonymous.
import type { Reply } from '../../../surface/http/exchange.ts';
import type { CustomerKey } from '../../encryption/customer-key.ts';
import type { ObjectProperties, ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, storedHeaders } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { asHeaderValue } from '../../wire/http/header-value.ts';
import { checkObjectKey } from '../../wire/http/object-key.ts';
import { type FormPermission, verifyPostForm } from '../../wire/http/post-form.ts';
import { mostObjectTags } from '../../wire/http/tags.ts';
import { readPayload } from '../../wire/payload/payload.ts';
import { type HeaderReader, parsePayloadPlan } from '../../wire/payload/payload-plan.ts';
import { readTagging } from '../../wire/xml/bucket-documents.ts';
import { writeXml } from '../../wire/xml/writer.ts';
import { type Form, readForm } from './form-parts.ts';
import { propertiesIn, withDefaultRetention, withEncryption } from './object-properties.ts';
import { contentOf, demandPut } from './put-object.ts';
import { mostUploadBytes, publish, storePayload, withinSize } from './store-content.ts';

const call = async (request: S3Request): Promise<Reply> => {
  const { bucket, tools } = request;
  const form = await readForm(request.header('content-type') ?? '', request.received());
  const key = keyOf(request, form);
  form.fields.set('key', key);
  const permission = await permissionOf(request, form);
  const header = formHeader(form);
  const requested = formProperties(request, form, header);
  demandPut(request, key, requested);
  const { properties, customerKey } = withEncryption(requested, { header, bucket });
  const { part, digest } = await storeFile(request, form, permission, customerKey);
  const owner = request.caller?.user ?? '';
  const kept = withDefaultRetention(properties, bucket, tools.now());
  const made = { ...kept, ...contentOf(digest), key, modified: tools.now(), owner, parts: [part] };
  const version = await publish(
    tools,
    [part],
    tools.objects.put(bucket.name, made, () => {}),
  );
  return successReply(request, form, version, customerKey);
};

export const postObject = operation({ name: 'PostObject', method: 'POST', target: 'bucket', isData: true, call });
export const postObjectAt = operation({ name: 'PostObject', method: 'POST', target: 'object', isData: true, call });

// `${filename}` in the key is replaced by the name of the user's file.
function keyOf(request: S3Request, { fields, fileName }: Form): string {
  const key = fields.get('key') ?? request.key;
  if (key === '')
    throw s3Fault(
      'InvalidArgument',
      "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.",
    );
  return checkObjectKey(key.replaceAll(/\$\{filename\}/gi, () => fileName.replace(/^.*[/\\]/, '')));
}

// From here on the caller is the owner of the key that signed the policy.
async function permissionOf(request: S3Request, { fields }: Form): Promise<FormPermission | undefined> {
  const { tools, bucket, x } = request;
  const secretOf = async (id: string): Promise<string | undefined> => (await tools.keys.find(id))?.secret;
  const context = { now: tools.realNow(), secretOf };
  const permission = await verifyPostForm(new Map([...fields, ['bucket', bucket.name]]), context);
  if (permission) x.caller = (await tools.keys.find(permission.accessKeyId))?.caller;
  return permission;
}

const fieldOf: Readonly<Record<string, string>> = { 'x-amz-acl': 'acl' };

const asHeaders = ({ fields }: Form): Map<string, string> =>
  new Map([...fields].map(([name, value]) => [name, name === 'tagging' ? value : asHeaderValue(value)]));

function formHeader(form: Form): HeaderReader {
  const values = asHeaders(form);
  return (name) => values.get(fieldOf[name] ?? name);
}

function formProperties({ bucket, tools }: S3Request, form: Form, header: HeaderReader): ObjectProperties {
  const { fields } = form;
  const { tags: _, ...properties } = propertiesIn({ header, bucket, tools, given: asHeaders(form) });
  const tagging = fields.get('tagging');
  return { ...properties, ...(tagging !== undefined && { tags: readTagging(tagging, mostObjectTags) }) };
}

async function storeFile(
  { tools }: S3Request,
  { fields, file }: Form,
  permission: FormPermission | undefined,
  key: CustomerKey | undefined,
) {
  const { least = 0, most = Number.POSITIVE_INFINITY } = permission?.size ?? {};
  const plan = parsePayloadPlan((name) => (name === 'content-length' ? undefined : fields.get(name)), {
    kind: 'unsigned',
  });
  const payload = readPayload(withinSize(file, least, Math.min(most, mostUploadBytes)), plan, undefined);
  return storePayload(tools, payload, key);
}

function successReply(
  { bucket, x }: S3Request,
  { fields }: Form,
  version: ObjectVersion,
  customerKey: CustomerKey | undefined,
): Reply {
  const { key, etag } = version;
  const location = `${x.secure ? 'https' : 'http'}://${x.host}/${bucket.name}/${encodeURIComponent(key)}`;
  const headers = [...storedHeaders(version, bucket, customerKey), 'Location', location];
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect');
  if (redirect !== undefined && URL.canParse(redirect)) {
    const target = new URL(redirect);
    for (const [name, value] of Object.entries({ bucket: bucket.name, key, etag: quoteEntityTag(etag) }))
      target.searchParams.append(name, value);
    return emptyReply(303, [...headers.slice(0, -2), 'Location', target.href]);
  }
  const status = fields.get('success_action_status');
  if (status === '201') {
    const content = { Location: location, Bucket: bucket.name, Key: key, ETag: quoteEntityTag(etag) };
    return { status: 201, type: 'application/xml', body: writeXml('PostResponse', content, null), headers };
  }
  return emptyReply(status === '200' ? 200 : 204, headers);
}
