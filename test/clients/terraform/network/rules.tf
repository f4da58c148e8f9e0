# A way out, and who may come in.
resource "ionoscloud_natgateway" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-nat-${var.wish.stage}"
  public_ips    = [ionoscloud_ipblock.main.ips[2]]
  lans {
    id = ionoscloud_lan.inside.id
  }
}

resource "ionoscloud_natgateway_rule" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  natgateway_id = ionoscloud_natgateway.main.id
  name          = "out"
  type          = "SNAT"
  protocol      = "TCP"
  source_subnet = ionoscloud_lan.inside.ipv4_cidr_block
  public_ip     = ionoscloud_ipblock.main.ips[2]
  target_subnet = "10.0.1.0/24"
  target_port_range {
    start = 500
    end   = var.wish.port
  }
}

resource "ionoscloud_nsg" "web" {
  count         = 2
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "web-${count.index}"
  description   = var.wish.stage
}

resource "ionoscloud_nsg_firewallrule" "http" {
  datacenter_id    = ionoscloud_datacenter.main.id
  nsg_id           = ionoscloud_nsg.web[0].id
  name             = "http"
  protocol         = "TCP"
  source_ip        = "10.0.0.0/8"
  port_range_start = 80
  port_range_end   = var.wish.port
  type             = "INGRESS"
}

resource "ionoscloud_nsg_firewallrule" "ping" {
  datacenter_id = ionoscloud_datacenter.main.id
  nsg_id        = ionoscloud_nsg.web[0].id
  name          = "ping"
  protocol      = "ICMP"
  icmp_type     = "8"
  type          = "EGRESS"
}

resource "ionoscloud_datacenter_nsg_selection" "main" {
  datacenter_id = ionoscloud_datacenter.other.id
  nsg_id        = ionoscloud_nsg.other.id
}

resource "ionoscloud_nsg" "other" {
  datacenter_id = ionoscloud_datacenter.other.id
  name          = "default"
  description   = "of all that come later"
}
