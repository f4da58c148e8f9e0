# Buckets with every configuration that the provider knows, objects, copies and access keys.
terraform {
  required_providers {
    ionoscloud = {
      source = "ionos-cloud/ionoscloud"
    }
  }
}

variable "tag" {
  type = string
}

# With one of the public regions the provider calls the public hosts, which only the proxy can lead here.
variable "region" {
  type = string
}

variable "content" {
  type    = string
  default = "first"
}

variable "password" {
  type      = string
  sensitive = true
}

resource "ionoscloud_object_storage_accesskey" "main" {
  description = "${var.tag} ${var.content}"
}

resource "ionoscloud_s3_bucket" "main" {
  name          = "${var.tag}-main"
  region        = var.region
  force_destroy = true
  tags = {
    stage = "test"
    state = var.content
  }
}

resource "ionoscloud_s3_bucket" "locked" {
  name                = "${var.tag}-locked"
  region              = var.region
  object_lock_enabled = true
  force_destroy       = true
}

resource "ionoscloud_s3_bucket" "plain" {
  name          = "${var.tag}-plain"
  region        = var.region
  force_destroy = true
}

resource "ionoscloud_s3_bucket_versioning" "main" {
  bucket = ionoscloud_s3_bucket.main.name
  versioning_configuration {
    status = "Enabled"
  }
}

resource "ionoscloud_s3_bucket_cors_configuration" "main" {
  bucket = ionoscloud_s3_bucket.main.name
  cors_rule {
    id              = 1234
    allowed_headers = ["*"]
    allowed_methods = ["PUT", "POST"]
    allowed_origins = ["https://www.example.com"]
    expose_headers  = ["ETag"]
    max_age_seconds = 3000
  }
}

resource "ionoscloud_s3_bucket_lifecycle_configuration" "main" {
  bucket = ionoscloud_s3_bucket.main.name
  rule {
    id     = "logs"
    status = "Enabled"
    filter {
      prefix = "logs/"
    }
    expiration {
      days = 90
    }
  }
  rule {
    id     = "old"
    status = "Enabled"
    filter {
      prefix = "old/"
    }
    noncurrent_version_expiration {
      noncurrent_days = 30
    }
  }
  rule {
    id     = "uploads"
    status = "Disabled"
    filter {
      prefix = "uploads/"
    }
    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }
}

resource "ionoscloud_s3_bucket_server_side_encryption_configuration" "main" {
  bucket = ionoscloud_s3_bucket.main.name
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "ionoscloud_s3_bucket_public_access_block" "main" {
  bucket                  = ionoscloud_s3_bucket.main.name
  ignore_public_acls      = true
  restrict_public_buckets = true
  block_public_policy     = false
  block_public_acls       = false
}

resource "ionoscloud_s3_bucket_website_configuration" "main" {
  bucket = ionoscloud_s3_bucket.main.name
  index_document {
    suffix = "index.html"
  }
  error_document {
    key = "error.html"
  }
  # Its routing_rule can't be read back from any S3: the provider expects another element than it asks for.
}

resource "ionoscloud_s3_bucket_policy" "main" {
  bucket = ionoscloud_s3_bucket.main.name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "Readers"
        Effect    = "Allow"
        Action    = ["s3:ListBucket", "s3:GetObject"]
        Principal = ["arn:aws:iam:::user/31000000:9acd8251-2857-410e-b1fd-ca86462bdcec"]
        Resource  = ["arn:aws:s3:::${var.tag}-main", "arn:aws:s3:::${var.tag}-main/*"]
        Condition = {
          IpAddress = ["123.123.123.123/32"]
        }
      }
    ]
  })
}

resource "ionoscloud_s3_bucket_object_lock_configuration" "locked" {
  bucket              = ionoscloud_s3_bucket.locked.name
  object_lock_enabled = "Enabled"
  rule {
    default_retention {
      mode = "GOVERNANCE"
      days = 1
    }
  }
}

resource "ionoscloud_s3_object" "main" {
  bucket                 = ionoscloud_s3_bucket_versioning.main.bucket
  key                    = "texts/a text.txt"
  content                = var.content
  content_type           = "text/plain"
  cache_control          = "no-cache"
  content_disposition    = "attachment"
  content_language       = "en-GB"
  website_redirect       = "https://www.example.com"
  server_side_encryption = "AES256"
  force_destroy          = true
  tags = {
    kind = "text"
  }
  metadata = {
    author = "terraform"
  }
}

resource "ionoscloud_s3_object" "file" {
  bucket        = ionoscloud_s3_bucket_versioning.main.bucket
  key           = "main.tf"
  source        = "${path.module}/main.tf"
  force_destroy = true

  server_side_encryption = "AES256"
}

# Without versions: the provider asks for the version that it was not told of.
resource "ionoscloud_s3_object" "plain" {
  bucket  = ionoscloud_s3_bucket.plain.name
  key     = "plain"
  content = var.content
}

resource "ionoscloud_s3_object" "held" {
  bucket                        = ionoscloud_s3_bucket.locked.name
  key                           = "held"
  content                       = "held"
  object_lock_mode              = "GOVERNANCE"
  object_lock_retain_until_date = "2099-01-01T00:00:00Z"
  object_lock_legal_hold        = "OFF"
  force_destroy                 = true
}

resource "ionoscloud_s3_object_copy" "main" {
  bucket        = ionoscloud_s3_bucket_versioning.main.bucket
  key           = "copied"
  source        = "${ionoscloud_s3_object.main.bucket}/${ionoscloud_s3_object.file.key}"
  force_destroy = true
  # The default of the bucket would be a value that the provider did not plan.
  server_side_encryption = "AES256"
}

data "ionoscloud_s3_bucket" "main" {
  name = ionoscloud_s3_bucket.main.name
}

data "ionoscloud_s3_object" "main" {
  bucket = ionoscloud_s3_object.main.bucket
  key    = ionoscloud_s3_object.main.key
}

data "ionoscloud_s3_objects" "main" {
  bucket     = ionoscloud_s3_bucket.main.name
  depends_on = [ionoscloud_s3_object.main, ionoscloud_s3_object.file, ionoscloud_s3_object_copy.main]
}

data "ionoscloud_object_storage_accesskey" "main" {
  id = ionoscloud_object_storage_accesskey.main.id
}

data "ionoscloud_object_storage_region" "main" {
  id = "eu-central-3"
}

output "seen" {
  sensitive = true
  value = {
    bucketRegion = data.ionoscloud_s3_bucket.main.region
    body         = data.ionoscloud_s3_object.main.body
    keys         = data.ionoscloud_s3_objects.main.keys
    accessKey    = ionoscloud_object_storage_accesskey.main.accesskey
    secretKey    = ionoscloud_object_storage_accesskey.main.secretkey
    description  = data.ionoscloud_object_storage_accesskey.main.description
    endpoint     = data.ionoscloud_object_storage_region.main.endpoint
  }
}
