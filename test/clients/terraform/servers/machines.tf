# Two dedicated core servers, a Cube and a vCPU server, each from an image.
resource "ionoscloud_server" "web" {
  count             = 2
  datacenter_id     = ionoscloud_datacenter.main.id
  name              = "${var.tag}-web-${count.index}"
  cores             = var.wish.cores
  ram               = var.wish.ram
  cpu_family        = "INTEL_SKYLAKE"
  availability_zone = "ZONE_${count.index + 1}"
  image_name        = "ubuntu:latest"
  image_password    = var.password
  vm_state          = count.index == 0 ? "RUNNING" : var.wish.vm_state

  label {
    key   = "stage"
    value = var.wish.stage
  }

  volume {
    name      = "system"
    size      = var.wish.size
    disk_type = "SSD Standard"
    user_data = base64encode("#cloud-config\npackages: [nginx]\n")
  }

  nic {
    lan             = ionoscloud_lan.outside.id
    name            = "outside"
    dhcp            = true
    ips             = count.index == 0 ? [ionoscloud_ipblock.main.ips[0], ionoscloud_ipblock.main.ips[1]] : [ionoscloud_ipblock.main.ips[2]]
    firewall_active = true
    firewall_type   = "BIDIRECTIONAL"

    firewall {
      name             = "http"
      protocol         = "TCP"
      port_range_start = var.wish.port
      port_range_end   = var.wish.port
      type             = "INGRESS"
    }

    # One of them has two rules, which differ in their content only.
    dynamic "firewall" {
      for_each = count.index == 0 ? ["ping"] : []
      content {
        name      = firewall.value
        protocol  = "ICMP"
        icmp_type = "8"
        icmp_code = "0"
        type      = "EGRESS"
      }
    }
  }

  # The API does not return what a server was created from, so an import does not know it.
  lifecycle {
    ignore_changes = [image_name, image_password, volume[0].user_data]
  }
}

resource "ionoscloud_cube_server" "small" {
  datacenter_id     = ionoscloud_datacenter.main.id
  name              = "${var.tag}-cube"
  template_uuid     = data.ionoscloud_template.xs.id
  image_name        = "debian:latest"
  image_password    = var.password
  availability_zone = "AUTO"
  vm_state          = var.wish.cube

  volume {
    name         = "system"
    disk_type    = "DAS"
    licence_type = "LINUX"
  }

  nic {
    lan  = ionoscloud_lan.inside.id
    name = "inside"
    dhcp = true
  }

  lifecycle {
    ignore_changes = [image_name, image_password, ssh_key_path]
  }
}

resource "ionoscloud_vcpu_server" "shared" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-vcpu"
  cores         = 1
  ram           = var.wish.ram
  image_name    = data.ionoscloud_image.by_alias.id
  ssh_keys      = [var.ssh_key]

  volume {
    name      = "system"
    size      = 15
    disk_type = "SSD Premium"
  }

  nic {
    lan  = ionoscloud_lan.outside.id
    dhcp = true
  }

  lifecycle {
    ignore_changes = [image_name, ssh_keys]
  }
}
