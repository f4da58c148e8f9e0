# A metric pipeline, with or without a location, and what the provider finds of it.
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

# Without one, the provider means de/fra. One for all: it asks for several at once under the wrong names.
variable "location" {
  type    = string
  default = null
}

variable "password" {
  type      = string
  sensitive = true
}

resource "ionoscloud_monitoring_pipeline" "main" {
  location = var.location
  name     = "${var.tag}-${var.name}"
}

data "ionoscloud_monitoring_pipeline" "by_id" {
  location = ionoscloud_monitoring_pipeline.main.location
  id       = ionoscloud_monitoring_pipeline.main.id
}

data "ionoscloud_monitoring_pipeline" "by_name" {
  location = ionoscloud_monitoring_pipeline.main.location
  name     = ionoscloud_monitoring_pipeline.main.name
}

output "seen" {
  sensitive = true
  value = {
    id       = ionoscloud_monitoring_pipeline.main.id
    key      = ionoscloud_monitoring_pipeline.main.key
    http     = ionoscloud_monitoring_pipeline.main.http_endpoint
    grafana  = ionoscloud_monitoring_pipeline.main.grafana_endpoint
    found    = data.ionoscloud_monitoring_pipeline.by_name.id
    named    = data.ionoscloud_monitoring_pipeline.by_id.name
    endpoint = data.ionoscloud_monitoring_pipeline.by_id.http_endpoint
  }
}
