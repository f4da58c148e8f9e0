# Load balancers of three kinds, and the target group of the third.
resource "ionoscloud_networkloadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-nlb-${var.wish.stage}"
  listener_lan  = ionoscloud_lan.outside.id
  target_lan    = ionoscloud_lan.inside.id
  ips           = [ionoscloud_ipblock.main.ips[0]]

  flowlog {
    name      = "nlb"
    action    = "REJECTED"
    direction = "INGRESS"
    bucket    = "${var.tag}-logs"
  }
}

resource "ionoscloud_networkloadbalancer_forwardingrule" "main" {
  datacenter_id          = ionoscloud_datacenter.main.id
  networkloadbalancer_id = ionoscloud_networkloadbalancer.main.id
  name                   = "web"
  algorithm              = var.wish.algorithm
  protocol               = "TCP"
  listener_ip            = ionoscloud_ipblock.main.ips[0]
  listener_port          = var.wish.port

  health_check {
    client_timeout  = 60000
    connect_timeout = 6000
    target_timeout  = 60000
    retries         = 4
  }

  dynamic "targets" {
    for_each = ionoscloud_server.target[*].primary_ip
    content {
      ip     = targets.value
      port   = 80
      weight = 100
      health_check {
        check          = true
        check_interval = 1000
      }
    }
  }
}

resource "ionoscloud_application_loadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-alb-${var.wish.stage}"
  listener_lan  = ionoscloud_lan.outside.id
  target_lan    = ionoscloud_lan.inside.id
  ips           = [ionoscloud_ipblock.main.ips[1]]
  # Unlike that of the network load balancer, the provider wants an address back that it did not send.
  lb_private_ips = ["${cidrhost(ionoscloud_lan.inside.ipv4_cidr_block, 200)}/24"]

  flowlog {
    name      = "alb"
    action    = "ALL"
    direction = "BIDIRECTIONAL"
    bucket    = "${var.tag}-logs"
  }
}

resource "ionoscloud_target_group" "main" {
  name             = "${var.tag}-targets"
  algorithm        = var.wish.algorithm
  protocol         = "HTTP"
  protocol_version = "HTTP1"

  dynamic "targets" {
    for_each = ionoscloud_server.target[*].primary_ip
    content {
      ip                   = targets.value
      port                 = 80
      weight               = 1
      health_check_enabled = true
      maintenance_enabled  = false
    }
  }

  health_check {
    check_timeout  = 5000
    check_interval = 50000
    retries        = 2
  }

  http_health_check {
    path       = "/health"
    method     = "GET"
    match_type = "STATUS_CODE"
    response   = "200"
  }
}

resource "ionoscloud_application_loadbalancer_forwardingrule" "main" {
  datacenter_id               = ionoscloud_datacenter.main.id
  application_loadbalancer_id = ionoscloud_application_loadbalancer.main.id
  name                        = "site"
  protocol                    = "HTTP"
  listener_ip                 = ionoscloud_ipblock.main.ips[1]
  listener_port               = var.wish.port

  http_rules {
    name         = "forward"
    type         = "FORWARD"
    target_group = ionoscloud_target_group.main.id
    conditions {
      type      = "HEADER"
      condition = "EQUALS"
      key       = "stage"
      value     = var.wish.stage
    }
  }

  http_rules {
    name        = "redirect"
    type        = "REDIRECT"
    location    = "https://www.example.com"
    drop_query  = true
    status_code = 301
    conditions {
      type      = "PATH"
      condition = "STARTS_WITH"
      value     = "/old"
    }
  }
}

resource "ionoscloud_loadbalancer" "classic" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-classic-${var.wish.stage}"
  dhcp          = true
  nic_ids       = ionoscloud_nic.balanced[*].id
}

resource "ionoscloud_nic" "balanced" {
  count         = 2
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.target[count.index].id
  lan           = ionoscloud_lan.inside.id
  name          = "balanced"
  dhcp          = true

  flowlog {
    name      = "nic-${var.wish.stage}"
    action    = "ACCEPTED"
    direction = "EGRESS"
    bucket    = "${var.tag}-logs"
  }
}
