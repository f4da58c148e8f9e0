# Changes that Terraform makes to one resource at a time: a NIC with a rule behind a balancer, a datacenter with a
# default group next to gateways, one LAN with several failover groups.
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

variable "groups" {
  type    = number
  default = 4
}

variable "password" {
  type      = string
  sensitive = true
}

resource "ionoscloud_datacenter" "main" {
  name     = "${var.tag}-dc"
  location = "de/txl"
}

resource "ionoscloud_lan" "outside" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = true
}

resource "ionoscloud_lan" "inside" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = false
}

resource "ionoscloud_ipblock" "main" {
  location = ionoscloud_datacenter.main.location
  size     = var.groups + 2
}

resource "ionoscloud_server" "main" {
  count             = var.groups
  datacenter_id     = ionoscloud_datacenter.main.id
  name              = "${var.tag}-${count.index}"
  cores             = 1
  ram               = 1024
  availability_zone = "AUTO"
  image_name        = "debian:latest"
  image_password    = var.password

  volume {
    name      = "system"
    size      = 10
    disk_type = "HDD"
  }

  nic {
    lan  = ionoscloud_lan.outside.id
    dhcp = true
    ips  = [ionoscloud_ipblock.main.ips[count.index]]
  }
}

resource "ionoscloud_ipfailover" "main" {
  count         = var.groups
  datacenter_id = ionoscloud_datacenter.main.id
  lan_id        = ionoscloud_lan.outside.id
  ip            = ionoscloud_ipblock.main.ips[count.index]
  nicuuid       = ionoscloud_server.main[count.index].primary_nic
}

resource "ionoscloud_nic" "balanced" {
  datacenter_id   = ionoscloud_datacenter.main.id
  server_id       = ionoscloud_server.main[0].id
  lan             = ionoscloud_lan.inside.id
  firewall_active = true
}

resource "ionoscloud_firewall" "balanced" {
  datacenter_id    = ionoscloud_datacenter.main.id
  server_id        = ionoscloud_server.main[0].id
  nic_id           = ionoscloud_nic.balanced.id
  protocol         = "TCP"
  name             = "http"
  port_range_start = 80
  port_range_end   = 80
}

resource "ionoscloud_loadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-balancer"
  dhcp          = true
  nic_ids       = [ionoscloud_nic.balanced.id]
}

resource "ionoscloud_nsg" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-group"
  description   = "the default one"
}

resource "ionoscloud_datacenter_nsg_selection" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  nsg_id        = ionoscloud_nsg.main.id
}

resource "ionoscloud_networkloadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-nlb"
  listener_lan  = ionoscloud_lan.outside.id
  target_lan    = ionoscloud_lan.inside.id
  ips           = [ionoscloud_ipblock.main.ips[var.groups]]
}

resource "ionoscloud_natgateway" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-nat"
  public_ips    = [ionoscloud_ipblock.main.ips[var.groups + 1]]
  lans {
    id = ionoscloud_lan.inside.id
  }
}
