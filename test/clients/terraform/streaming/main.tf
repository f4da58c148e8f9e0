# A Kafka cluster in a LAN, a topic of it, and what the provider finds of both.
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

variable "partitions" {
  type    = number
  default = 3
}

variable "password" {
  type      = string
  sensitive = true
}

resource "ionoscloud_datacenter" "main" {
  name     = var.tag
  location = "de/fra"
}

resource "ionoscloud_lan" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = false
  name          = var.tag
}

resource "ionoscloud_kafka_cluster" "main" {
  name     = var.tag
  location = "de/fra"
  version  = "3.9.0"
  size     = "S"
  connections {
    datacenter_id    = ionoscloud_datacenter.main.id
    lan_id           = ionoscloud_lan.main.id
    broker_addresses = ["192.168.1.101/24", "192.168.1.102/24", "192.168.1.103/24"]
  }
}

resource "ionoscloud_kafka_cluster_topic" "main" {
  cluster_id           = ionoscloud_kafka_cluster.main.id
  name                 = "orders"
  location             = "de/fra"
  replication_factor   = 3
  number_of_partitions = var.partitions
  retention_time       = 86400000
  segment_bytes        = 1073741824
}

data "ionoscloud_kafka_cluster" "by_name" {
  location = "de/fra"
  name     = ionoscloud_kafka_cluster.main.name
}

data "ionoscloud_kafka_cluster_topic" "by_name" {
  location   = "de/fra"
  cluster_id = ionoscloud_kafka_cluster.main.id
  name       = ionoscloud_kafka_cluster_topic.main.name
}

data "ionoscloud_kafka_user_credentials" "admin" {
  location   = "de/fra"
  cluster_id = ionoscloud_kafka_cluster.main.id
  username   = "admin"
}

output "seen" {
  sensitive = true
  value = {
    id          = ionoscloud_kafka_cluster.main.id
    brokers     = ionoscloud_kafka_cluster.main.broker_addresses
    found       = data.ionoscloud_kafka_cluster.by_name.id
    topic       = ionoscloud_kafka_cluster_topic.main.id
    topicFound  = data.ionoscloud_kafka_cluster_topic.by_name.id
    authority   = data.ionoscloud_kafka_user_credentials.admin.certificate_authority
    certificate = data.ionoscloud_kafka_user_credentials.admin.certificate
    key         = data.ionoscloud_kafka_user_credentials.admin.private_key
  }
}
