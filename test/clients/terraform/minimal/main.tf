# Every resource of core, with as few arguments as the provider takes: whatever the region adds must not be planned away.
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

locals {
  inside = {
    for ordinal in range(1, 20) : ordinal => cidrhost(ionoscloud_lan.inside.ipv4_cidr_block, ordinal)
  }
}

resource "ionoscloud_datacenter" "main" {
  name     = var.tag
  location = "us/las"
}

resource "ionoscloud_lan" "outside" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = true
}

resource "ionoscloud_lan" "inside" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = false
}

resource "ionoscloud_lan" "listening" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = false
}

resource "ionoscloud_private_crossconnect" "main" {
  name = var.tag
}

resource "ionoscloud_lan" "crossing" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = false
  pcc           = ionoscloud_private_crossconnect.main.id
}

resource "ionoscloud_ipblock" "main" {
  location = ionoscloud_datacenter.main.location
  size     = 4
}

resource "ionoscloud_nsg" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "usual"
  description   = ""
}

resource "ionoscloud_nsg_firewallrule" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  nsg_id        = ionoscloud_nsg.main.id
  protocol      = "TCP"
}

# Servers that are created later are in it, and none of them names it.
resource "ionoscloud_datacenter_nsg_selection" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  nsg_id        = ionoscloud_nsg.main.id
}

resource "ionoscloud_user" "main" {
  first_name     = "Ada"
  last_name      = "Minimal"
  email          = "${var.tag}@minimal.example"
  password       = var.password
  administrator  = false
  force_sec_auth = false
}

resource "ionoscloud_group" "main" {
  name                 = var.tag
  access_activity_log  = true
  s3_privilege         = true
  user_ids             = [ionoscloud_user.main.id]
}

resource "ionoscloud_share" "main" {
  group_id        = ionoscloud_group.main.id
  resource_id     = ionoscloud_datacenter.main.id
  edit_privilege  = true
  share_privilege = false
}

resource "ionoscloud_s3_key" "main" {
  user_id    = ionoscloud_user.main.id
  active     = true
  depends_on = [ionoscloud_group.main]
}

resource "ionoscloud_backup_unit" "main" {
  name     = var.tag
  password = var.password
  email    = "${var.tag}@minimal.example"
}
