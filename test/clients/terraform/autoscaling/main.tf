# An auto scaling group behind a target group, and what the provider finds of it.
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

variable "least" {
  type    = number
  default = 1
}

variable "cores" {
  type    = number
  default = 1
}

variable "password" {
  type      = string
  sensitive = true
}

resource "ionoscloud_datacenter" "main" {
  name     = var.tag
  location = "de/txl"
}

resource "ionoscloud_lan" "inside" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = false
  name          = "inside"
}

resource "ionoscloud_target_group" "web" {
  name             = var.tag
  algorithm        = "ROUND_ROBIN"
  protocol         = "HTTP"
  protocol_version = "HTTP1"
  lifecycle {
    ignore_changes = [targets]
  }
}

resource "ionoscloud_autoscaling_group" "main" {
  datacenter_id     = ionoscloud_datacenter.main.id
  name              = var.tag
  min_replica_count = var.least
  max_replica_count = 3
  policy {
    metric = "INSTANCE_CPU_UTILIZATION_AVERAGE"
    range  = "PT24H"
    scale_in_action {
      amount                  = 1
      amount_type             = "ABSOLUTE"
      termination_policy_type = "OLDEST_SERVER_FIRST"
      cooldown_period         = "PT5M"
      delete_volumes          = true
    }
    scale_in_threshold = 33
    scale_out_action {
      amount          = 50
      amount_type     = "PERCENTAGE"
      cooldown_period = "PT5M"
    }
    scale_out_threshold = 77
    unit                = "PER_HOUR"
  }
  replica_configuration {
    availability_zone = "AUTO"
    cores             = var.cores
    cpu_family        = "INTEL_SKYLAKE"
    ram               = 2048
    nic {
      lan             = ionoscloud_lan.inside.id
      name            = "inside"
      dhcp            = true
      firewall_active = true
      firewall_type   = "INGRESS"
      firewall_rule {
        name             = "web"
        protocol         = "TCP"
        port_range_start = 1
        port_range_end   = 1000
        type             = "INGRESS"
      }
      target_group {
        target_group_id = ionoscloud_target_group.web.id
        port            = 80
        weight          = 50
      }
    }
    volume {
      image_alias    = "ubuntu:latest"
      name           = "system"
      size           = 10
      type           = "HDD"
      user_data      = base64encode("#cloud-config\npackages: [nginx]\n")
      image_password = var.password
      boot_order     = "AUTO"
    }
  }
}

data "ionoscloud_autoscaling_group" "by_name" {
  name = ionoscloud_autoscaling_group.main.name
}

data "ionoscloud_autoscaling_group_servers" "all" {
  group_id = ionoscloud_autoscaling_group.main.id
}

output "seen" {
  value = {
    id         = ionoscloud_autoscaling_group.main.id
    found      = data.ionoscloud_autoscaling_group.by_name.id
    datacenter = ionoscloud_datacenter.main.id
    targets    = ionoscloud_target_group.web.id
    servers    = length(data.ionoscloud_autoscaling_group_servers.all.servers)
  }
}
