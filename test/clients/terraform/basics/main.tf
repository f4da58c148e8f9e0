# Everything of the first managed resources that the provider knows. What changes in place comes in by variables.
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

variable "description" {
  type    = string
  default = "first"
}

variable "public" {
  type    = bool
  default = true
}

variable "blocks" {
  type    = number
  default = 1
}

variable "password" {
  type      = string
  sensitive = true
}

data "ionoscloud_location" "berlin" {
  name    = "berlin"
  feature = "SSD"
}

resource "ionoscloud_datacenter" "main" {
  name        = "${var.tag}-dc"
  location    = data.ionoscloud_location.berlin.id
  description = var.description
}

# Ten at once is what Terraform does by default.
resource "ionoscloud_lan" "many" {
  count         = 4
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "lan-${count.index}-${var.description}"
  public        = var.public
}

resource "ionoscloud_ipblock" "main" {
  count    = var.blocks
  name     = "${var.tag}-${var.description}-${count.index}"
  location = ionoscloud_datacenter.main.location
  size     = 2
}

resource "ionoscloud_user" "main" {
  first_name     = "Ada"
  last_name      = var.description
  email          = "${var.tag}@example.com"
  password       = var.password
  administrator  = false
  force_sec_auth = false
}

resource "ionoscloud_group" "main" {
  name                           = "${var.tag}-group"
  create_datacenter              = true
  reserve_ip                     = var.public
  access_activity_log            = true
  s3_privilege                   = true
  create_network_security_groups = true
  user_ids                       = [ionoscloud_user.main.id]
}

resource "ionoscloud_share" "main" {
  group_id        = ionoscloud_group.main.id
  resource_id     = ionoscloud_datacenter.main.id
  edit_privilege  = var.public
  share_privilege = false
}

resource "ionoscloud_s3_key" "main" {
  user_id    = ionoscloud_user.main.id
  active     = var.public
  depends_on = [ionoscloud_group.main] # a key needs the privilege
}

data "ionoscloud_datacenter" "by_name" {
  name       = ionoscloud_datacenter.main.name
  depends_on = [ionoscloud_lan.many]
}

data "ionoscloud_lan" "by_id" {
  datacenter_id = ionoscloud_datacenter.main.id
  id            = ionoscloud_lan.many[0].id
}

data "ionoscloud_ipblock" "by_name" {
  name       = ionoscloud_ipblock.main[0].name
  depends_on = [ionoscloud_ipblock.main]
}

data "ionoscloud_user" "by_email" {
  email      = ionoscloud_user.main.email
  depends_on = [ionoscloud_group.main]
}

data "ionoscloud_group" "by_name" {
  name       = ionoscloud_group.main.name
  depends_on = [ionoscloud_share.main]
}

output "seen" {
  value = {
    datacenter = data.ionoscloud_datacenter.by_name.id
    location   = data.ionoscloud_datacenter.by_name.location
    lans       = sort(ionoscloud_lan.many[*].id)
    lan        = data.ionoscloud_lan.by_id.public
    ips        = data.ionoscloud_ipblock.by_name.ips
    user       = data.ionoscloud_user.by_email.last_name
    members    = [for member in data.ionoscloud_group.by_name.users : member.id]
  }
}
