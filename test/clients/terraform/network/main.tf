# The network between servers and the internet. Variables hold the values that change in place.
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

# The values of the first apply, and of the second one.
variable "wish" {
  type = object({
    stage     = string
    port      = number
    algorithm = string
    groups    = number
  })
  default = {
    stage     = "first"
    port      = 8080
    algorithm = "ROUND_ROBIN"
    groups    = 1
  }
}

resource "ionoscloud_datacenter" "main" {
  name     = "${var.tag}-net"
  location = "de/txl"
}

resource "ionoscloud_datacenter" "other" {
  name     = "${var.tag}-net-other"
  location = "de/txl"
}

resource "ionoscloud_ipblock" "main" {
  name     = "${var.tag}-net"
  location = "de/txl"
  size     = 4
}

resource "ionoscloud_lan" "outside" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = true
}

resource "ionoscloud_lan" "inside" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "inside"
  public        = false
}

resource "ionoscloud_private_crossconnect" "main" {
  name        = "${var.tag}-connect"
  description = var.wish.stage
}

# Two LANs of two datacenters, connected.
resource "ionoscloud_lan" "connected" {
  for_each      = { here = ionoscloud_datacenter.main.id, there = ionoscloud_datacenter.other.id }
  datacenter_id = each.value
  name          = each.key
  public        = false
  pcc           = ionoscloud_private_crossconnect.main.id
}

resource "ionoscloud_server" "target" {
  count               = 2
  datacenter_id       = ionoscloud_datacenter.main.id
  name                = "${var.tag}-target-${count.index}"
  cores               = 1
  ram                 = 1024
  image_name          = "debian:latest"
  image_password      = var.password
  security_groups_ids = count.index == 0 ? slice(ionoscloud_nsg.web[*].id, 0, var.wish.groups) : null

  volume {
    name      = "system"
    size      = 10
    disk_type = "HDD"
  }

  nic {
    lan  = ionoscloud_lan.inside.id
    name = "inside"
    dhcp = true
  }

  # The API does not return what a server was created from, so an import does not know it.
  lifecycle {
    ignore_changes = [image_name, image_password]
  }
}

resource "ionoscloud_backup_unit" "main" {
  name     = "${var.tag}backup"
  password = var.password
  email    = "${var.wish.stage}@example.com"

  lifecycle {
    ignore_changes = [password]
  }
}
