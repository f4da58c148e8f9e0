# A certificate that is uploaded, one that is issued for a name of a zone, and what the provider finds of them by name.
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

variable "password" {
  type      = string
  sensitive = true
}

variable "certificate" {
  type = string
}

variable "chain" {
  type = string
}

variable "key" {
  type      = string
  sensitive = true
}

variable "name" {
  type    = string
  default = "first"
}

# Auto-certificates need a location, and with one the provider asks the platform's own host: only a proxy leads here.
variable "issues" {
  type = bool
}

resource "ionoscloud_certificate" "uploaded" {
  name              = "${var.tag}-${var.name}"
  certificate       = var.certificate
  certificate_chain = var.chain
  private_key       = var.key
}

resource "ionoscloud_dns_zone" "main" {
  name = "${var.tag}.example.net"
}

resource "ionoscloud_auto_certificate_provider" "public" {
  name   = "${var.tag}-${var.name}"
  email  = "admin@example.com"
  server = "https://acme-v02.api.letsencrypt.org/directory"
  external_account_binding {
    key_id     = "a-key"
    key_secret = "a-secret"
  }
}

resource "ionoscloud_auto_certificate" "www" {
  count                     = var.issues ? 1 : 0
  location                  = "de/fra"
  provider_id               = ionoscloud_auto_certificate_provider.public.id
  common_name               = "www.${ionoscloud_dns_zone.main.name}"
  key_algorithm             = "rsa2048"
  name                      = "${var.tag}-${var.name}"
  subject_alternative_names = [ionoscloud_dns_zone.main.name]
}

data "ionoscloud_certificate" "uploaded" {
  id = ionoscloud_certificate.uploaded.id
}

data "ionoscloud_auto_certificate" "www" {
  count    = var.issues ? 1 : 0
  id       = ionoscloud_auto_certificate.www[0].id
  location = "de/fra"
}

data "ionoscloud_auto_certificate_provider" "public" {
  id = ionoscloud_auto_certificate_provider.public.id
}

output "seen" {
  value = {
    uploaded = data.ionoscloud_certificate.uploaded.name
    auto     = one(ionoscloud_auto_certificate.www[*].id)
    issued   = one(data.ionoscloud_auto_certificate.www[*].common_name)
    server   = data.ionoscloud_auto_certificate_provider.public.server
  }
}
