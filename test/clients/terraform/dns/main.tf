# A zone with records and a reverse record, and what the provider finds of them by name.
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

variable "address" {
  type    = string
  default = "192.0.2.10"
}

resource "ionoscloud_dns_zone" "main" {
  name        = "${var.tag}.example.com"
  description = "a zone"
  enabled     = true
}

resource "ionoscloud_dns_record" "www" {
  zone_id = ionoscloud_dns_zone.main.id
  name    = "www"
  type    = "A"
  content = var.address
  ttl     = 600
  enabled = true
}

resource "ionoscloud_dns_record" "mail" {
  zone_id  = ionoscloud_dns_zone.main.id
  name     = ""
  type     = "MX"
  content  = "mail.${var.tag}.example.com"
  priority = 10
}

resource "ionoscloud_ipblock" "main" {
  location = "de/txl"
  size     = 1
  name     = var.tag
}

resource "ionoscloud_dns_reverse_record" "main" {
  name = "host.${var.tag}.example.com"
  ip   = ionoscloud_ipblock.main.ips[0]
}

data "ionoscloud_dns_zone" "named" {
  name       = ionoscloud_dns_zone.main.name
  depends_on = [ionoscloud_dns_zone.main]
}

output "seen" {
  value = {
    zone  = ionoscloud_dns_zone.main.id
    found = data.ionoscloud_dns_zone.named.id
    ip    = ionoscloud_ipblock.main.ips[0]
  }
}
