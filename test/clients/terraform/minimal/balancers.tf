resource "ionoscloud_networkloadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "nlb"
  listener_lan  = ionoscloud_lan.listening.id
  target_lan    = ionoscloud_lan.inside.id
  ips           = [cidrhost(ionoscloud_lan.listening.ipv4_cidr_block, 201)]
}

# Two targets, neither in order nor with a health check.
resource "ionoscloud_networkloadbalancer_forwardingrule" "main" {
  datacenter_id          = ionoscloud_datacenter.main.id
  networkloadbalancer_id = ionoscloud_networkloadbalancer.main.id
  name                   = "rule"
  algorithm              = "ROUND_ROBIN"
  protocol               = "TCP"
  listener_ip            = cidrhost(ionoscloud_lan.listening.ipv4_cidr_block, 201)
  listener_port          = 80

  targets {
    ip     = local.inside[12]
    port   = 80
    weight = 1
  }

  targets {
    ip     = local.inside[9]
    port   = 80
    weight = 1
  }
}

resource "ionoscloud_application_loadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "alb"
  listener_lan  = ionoscloud_lan.listening.id
  target_lan    = ionoscloud_lan.inside.id
  ips           = [cidrhost(ionoscloud_lan.listening.ipv4_cidr_block, 200)]
}

resource "ionoscloud_target_group" "main" {
  name             = var.tag
  algorithm        = "ROUND_ROBIN"
  protocol         = "HTTP"
  protocol_version = "HTTP1"

  targets {
    ip     = local.inside[12]
    port   = 80
    weight = 1
  }

  targets {
    ip     = local.inside[9]
    port   = 80
    weight = 1
  }
}

resource "ionoscloud_application_loadbalancer_forwardingrule" "main" {
  datacenter_id               = ionoscloud_datacenter.main.id
  application_loadbalancer_id = ionoscloud_application_loadbalancer.main.id
  name                        = "rule"
  protocol                    = "HTTP"
  listener_ip                 = cidrhost(ionoscloud_lan.listening.ipv4_cidr_block, 200)
  listener_port               = 80

  http_rules {
    name         = "forward"
    type         = "FORWARD"
    target_group = ionoscloud_target_group.main.id
  }

  http_rules {
    name     = "redirect"
    type     = "REDIRECT"
    location = "https://example.com"
  }

  http_rules {
    name             = "static"
    type             = "STATIC"
    response_message = "closed"
  }
}

resource "ionoscloud_natgateway" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "nat"
  public_ips    = [ionoscloud_ipblock.main.ips[1]]

  lans {
    id = ionoscloud_lan.inside.id
  }
}

resource "ionoscloud_natgateway_rule" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  natgateway_id = ionoscloud_natgateway.main.id
  name          = "rule"
  public_ip     = ionoscloud_ipblock.main.ips[1]
  source_subnet = ionoscloud_lan.inside.ipv4_cidr_block
}

resource "ionoscloud_loadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "classic"
  nic_ids       = [ionoscloud_nic.inside.id]
}
