# Additions to existing servers: a disk, a second NIC with rules, another boot device, a shared address, a copy.
# The provider ignores some of what it reads when it imports; so must we.
resource "ionoscloud_volume" "data" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.web[0].id
  name          = "data"
  size          = var.wish.size
  disk_type     = "HDD"
  licence_type  = "OTHER"

  lifecycle {
    ignore_changes = [licence_type]
  }
}

# From an image, so that a server can boot from it.
resource "ionoscloud_volume" "second" {
  datacenter_id  = ionoscloud_datacenter.main.id
  server_id      = ionoscloud_server.web[1].id
  name           = "second"
  size           = 10
  disk_type      = "SSD Premium"
  image_name     = "debian:latest"
  image_password = var.password

  lifecycle {
    ignore_changes = [image_name, image_password]
  }
}

resource "ionoscloud_nic" "inside" {
  count           = 2
  datacenter_id   = ionoscloud_datacenter.main.id
  server_id       = ionoscloud_server.web[count.index].id
  lan             = ionoscloud_lan.inside.id
  name            = "inside"
  dhcp            = true
  firewall_active = true
}

resource "ionoscloud_firewall" "ssh" {
  datacenter_id    = ionoscloud_datacenter.main.id
  server_id        = ionoscloud_server.web[0].id
  nic_id           = ionoscloud_nic.inside[0].id
  name             = "ssh"
  protocol         = "TCP"
  source_ip        = "10.0.0.0/8"
  port_range_start = 22
  port_range_end   = var.wish.port
  type             = "INGRESS"
}

# All of what it does not say must stay so.
resource "ionoscloud_firewall" "any" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.web[1].id
  nic_id        = ionoscloud_nic.inside[1].id
  protocol      = "ANY"
}

resource "ionoscloud_ipfailover" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  lan_id        = ionoscloud_lan.outside.id
  ip            = ionoscloud_ipblock.main.ips[0]
  nicuuid       = ionoscloud_server.web[0].primary_nic
}

resource "ionoscloud_server_boot_device_selection" "other" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.web[0].id
  boot_device_id = {
    system  = ionoscloud_server.web[0].inline_volume_ids[0]
    data    = ionoscloud_volume.data.id
    cdrom   = data.ionoscloud_image.cdrom.id
    network = null
  }[var.wish.boot]
}

resource "ionoscloud_snapshot" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  volume_id     = ionoscloud_server.web[0].inline_volume_ids[0]
  name          = "${var.tag}-snapshot"
  description   = var.wish.stage

  lifecycle {
    ignore_changes = [datacenter_id, volume_id]
  }
}

# It has no name, and must not get one.
resource "ionoscloud_volume" "copy" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_vcpu_server.shared.id
  size          = 20
  disk_type     = "HDD"
  image_name    = ionoscloud_snapshot.main.id

  lifecycle {
    ignore_changes = [image_name, image_password]
  }
}
