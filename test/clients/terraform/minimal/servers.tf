resource "ionoscloud_server" "plain" {
  datacenter_id  = ionoscloud_datacenter.main.id
  name           = "plain"
  cores          = 1
  ram            = 1024
  image_name     = "ubuntu:latest"
  image_password = var.password
  depends_on     = [ionoscloud_datacenter_nsg_selection.main]

  volume {
    disk_type = "SSD Standard"
    size      = 10
    user_data = "foo"
  }

  nic {
    lan = ionoscloud_lan.outside.id
  }
}

resource "ionoscloud_server" "empty" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "empty"
  cores         = 1
  ram           = 1024
}

resource "ionoscloud_vcpu_server" "shared" {
  datacenter_id  = ionoscloud_datacenter.main.id
  name           = "shared"
  cores          = 1
  ram            = 1024
  image_name     = "debian:latest"
  image_password = var.password

  volume {
    disk_type = "HDD"
    size      = 10
  }

  nic {
    lan = ionoscloud_lan.inside.id
  }
}

data "ionoscloud_template" "small" {
  name = "Basic Cube S"
}

resource "ionoscloud_cube_server" "cube" {
  datacenter_id  = ionoscloud_datacenter.main.id
  name           = "cube"
  template_uuid  = data.ionoscloud_template.small.id
  image_name     = "rocky:latest"
  image_password = var.password

  volume {
    name      = "cube"
    disk_type = "DAS"
  }

  nic {
    lan  = ionoscloud_lan.inside.id
    name = "cube"
  }
}

resource "ionoscloud_volume" "from_image" {
  datacenter_id  = ionoscloud_datacenter.main.id
  server_id      = ionoscloud_server.empty.id
  disk_type      = "SSD Standard"
  size           = 10
  image_name     = "debian:latest"
  image_password = var.password
}

resource "ionoscloud_volume" "blank" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.empty.id
  disk_type     = "HDD"
  size          = 5
  licence_type  = "OTHER"
}

resource "ionoscloud_server_boot_device_selection" "main" {
  datacenter_id  = ionoscloud_datacenter.main.id
  server_id      = ionoscloud_server.empty.id
  boot_device_id = ionoscloud_volume.from_image.id
  depends_on     = [ionoscloud_volume.blank]
}

resource "ionoscloud_snapshot" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  volume_id     = ionoscloud_volume.from_image.id
  name          = "copy"
}

resource "ionoscloud_volume" "from_snapshot" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.plain.id
  disk_type     = "SSD Standard"
  size          = 10
  image_name    = ionoscloud_snapshot.main.id
}

resource "ionoscloud_nic" "inside" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.plain.id
  lan           = ionoscloud_lan.inside.id
}

# A reserved public address on a private LAN.
resource "ionoscloud_nic" "reserved" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.empty.id
  lan           = ionoscloud_lan.crossing.id
  ips           = [ionoscloud_ipblock.main.ips[2]]
}

resource "ionoscloud_firewall" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.plain.id
  nic_id        = ionoscloud_nic.inside.id
  protocol      = "TCP"
}

resource "ionoscloud_nic" "spare" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.empty.id
  lan           = ionoscloud_lan.outside.id
  ips           = [ionoscloud_ipblock.main.ips[0]]
}

resource "ionoscloud_ipfailover" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  lan_id        = ionoscloud_lan.outside.id
  ip            = ionoscloud_ipblock.main.ips[0]
  nicuuid       = ionoscloud_nic.spare.id
}
