"""What users of boto3 do with object storage. Ends with an error where anything differs from S3."""

import hashlib
import os
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

s3 = boto3.client("s3")
bucket = "by-boto3"
s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-3"})

s3.put_object(Bucket=bucket, Key="a/ü +.txt", Body=b"0123456789", Metadata={"colour": "red"})
got = s3.get_object(Bucket=bucket, Key="a/ü +.txt", Range="bytes=2-4")
assert got["Body"].read() == b"234" and got["Metadata"] == {"colour": "red"}

with open("large", "wb") as file:
    for number in range(200):
        file.write(number.to_bytes(4, "big") * 262144)
config = TransferConfig(multipart_chunksize=16 * 1024 * 1024, max_concurrency=4)
s3.upload_file("large", bucket, "large", Config=config)
s3.download_file(bucket, "large", "back", Config=config)
digests = [hashlib.file_digest(open(name, "rb"), "sha256").hexdigest() for name in ("large", "back")]
assert digests[0] == digests[1]

s3.copy({"Bucket": bucket, "Key": "large"}, bucket, "large-copy", Config=config)
assert s3.head_object(Bucket=bucket, Key="large-copy")["ContentLength"] == 200 * 1024 * 1024

key = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": os.urandom(32)}
s3.upload_file("large", bucket, "sealed", ExtraArgs=key, Config=config)
s3.download_file(bucket, "sealed", "opened", ExtraArgs=key, Config=config)
assert hashlib.file_digest(open("opened", "rb"), "sha256").hexdigest() == digests[0]
try:
    s3.get_object(Bucket=bucket, Key="sealed")
    raise SystemExit("an encrypted object is read without its key")
except ClientError as error:
    assert error.response["Error"]["Code"] == "InvalidRequest"

keys = [f"tree/{number % 10}/{number:04}" for number in range(1000)]
with ThreadPoolExecutor(8) as pool:
    list(pool.map(lambda key: s3.put_object(Bucket=bucket, Key=key, Body=key.encode()), keys))
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="tree/", PaginationConfig={"PageSize": 300})
assert [one["Key"] for page in pages for one in page["Contents"]] == sorted(keys)

url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": keys[5]}, ExpiresIn=60)
assert urllib.request.urlopen(url).read() == keys[5].encode()

form = s3.generate_presigned_post(bucket, "by/${filename}", Conditions=[["content-length-range", 1, 100]])
boundary = "a-boundary"
parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in form["fields"].items()]
parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="form.txt"\r\n\r\nby form\r\n--{boundary}--\r\n')
headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
urllib.request.urlopen(urllib.request.Request(form["url"], "".join(parts).encode(), headers))
assert s3.get_object(Bucket=bucket, Key="by/form.txt")["Body"].read() == b"by form"

deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
assert len(deleted["Deleted"]) == 1000
for key in ("a/ü +.txt", "large", "large-copy", "sealed", "by/form.txt"):
    s3.delete_object(Bucket=bucket, Key=key)
s3.delete_bucket(Bucket=bucket)
try:
    s3.head_bucket(Bucket=bucket)
    raise SystemExit("the bucket is still there")
except ClientError as error:
    assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 404
