# A log pipeline with two streams, and what the provider finds of it.
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

variable "name" {
  type    = string
  default = "first"
}

variable "password" {
  type      = string
  sensitive = true
}

resource "ionoscloud_logging_pipeline" "main" {
  location = "de/txl"
  name     = "${var.tag}-${var.name}"
  log {
    source   = "kubernetes"
    tag      = "k8s"
    protocol = "tcp"
    destinations {
      type              = "loki"
      retention_in_days = 7
    }
  }
  log {
    source   = "generic"
    tag      = "web"
    protocol = "http"
    destinations {
      type              = "loki"
      retention_in_days = 30
    }
  }
}

data "ionoscloud_logging_pipeline" "by_id" {
  location = "de/txl"
  id       = ionoscloud_logging_pipeline.main.id
}

output "seen" {
  sensitive = true
  value = {
    id    = ionoscloud_logging_pipeline.main.id
    key   = ionoscloud_logging_pipeline.main.key
    tcp   = ionoscloud_logging_pipeline.main.tcp_address
    http  = ionoscloud_logging_pipeline.main.http_address
    named = data.ionoscloud_logging_pipeline.by_id.name
  }
}
