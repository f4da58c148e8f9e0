# Lookups before the creation, and of the created resources.
data "ionoscloud_location" "frankfurt" {
  name    = "frankfurt"
  feature = "SSD"
}

data "ionoscloud_template" "xs" {
  name = "Basic Cube XS"
}

data "ionoscloud_image" "by_alias" {
  image_alias = "ubuntu:latest"
  location    = "de/fra"
  type        = "HDD"
  cloud_init  = "V1"
}

data "ionoscloud_image" "cdrom" {
  image_alias = "ubuntu:latest_iso"
  location    = "de/fra"
  type        = "CDROM"
}

data "ionoscloud_image" "by_name" {
  name     = "Ubuntu-24.04"
  location = "de/fra"
  type     = "HDD"
}

data "ionoscloud_template" "by_size" {
  ram          = 8192
  storage_size = 240
}

data "ionoscloud_contracts" "all" {}

data "ionoscloud_datacenter" "main" {
  name     = ionoscloud_datacenter.main.name
  location = "de/fra"
}

data "ionoscloud_server" "first" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = ionoscloud_server.web[0].name
  depends_on    = [ionoscloud_volume.data, ionoscloud_nic.inside]
}

data "ionoscloud_cube_server" "small" {
  datacenter_id = ionoscloud_datacenter.main.id
  id            = ionoscloud_cube_server.small.id
}

data "ionoscloud_vcpu_server" "shared" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = ionoscloud_vcpu_server.shared.name
}

data "ionoscloud_servers" "web" {
  datacenter_id = ionoscloud_datacenter.main.id
  depends_on    = [ionoscloud_server.web, ionoscloud_cube_server.small, ionoscloud_vcpu_server.shared]
  filter {
    name  = "type"
    value = "ENTERPRISE"
  }
  filter {
    name  = "name"
    value = "web"
  }
}

data "ionoscloud_volume" "data" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = ionoscloud_volume.data.name
}

data "ionoscloud_nic" "inside" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.web[0].id
  name          = ionoscloud_nic.inside[0].name
}

data "ionoscloud_firewall" "ssh" {
  datacenter_id = ionoscloud_datacenter.main.id
  server_id     = ionoscloud_server.web[0].id
  nic_id        = ionoscloud_nic.inside[0].id
  name          = ionoscloud_firewall.ssh.name
}

data "ionoscloud_lan" "outside" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "outside"
  depends_on    = [ionoscloud_lan.outside, ionoscloud_ipfailover.main]
}

data "ionoscloud_ipblock" "main" {
  name       = ionoscloud_ipblock.main.name
  depends_on = [ionoscloud_server.web]
}

data "ionoscloud_snapshot" "main" {
  name     = ionoscloud_snapshot.main.name
  location = "de/fra"
}

output "seen" {
  value = {
    contract   = data.ionoscloud_contracts.all.contracts[0].contract_number
    datacenter = data.ionoscloud_datacenter.main.id == ionoscloud_datacenter.main.id
    image      = data.ionoscloud_image.by_name.id == data.ionoscloud_image.by_alias.id
    template   = data.ionoscloud_template.by_size.name
    volumes    = [for one in data.ionoscloud_server.first.volumes : one.name]
    nics       = [for one in data.ionoscloud_server.first.nics : one.name]
    rules      = [for one in data.ionoscloud_server.first.nics[0].firewall_rules : one.name]
    cube       = data.ionoscloud_cube_server.small.volumes[0].type
    shared     = data.ionoscloud_vcpu_server.shared.type
    servers    = sort([for one in data.ionoscloud_servers.web.servers : one.name])
    volume     = data.ionoscloud_volume.data.size
    nic        = data.ionoscloud_nic.inside.lan == tonumber(ionoscloud_lan.inside.id)
    rule       = data.ionoscloud_firewall.ssh.port_range_end
    failover   = [for one in data.ionoscloud_lan.outside.ip_failover : one.ip == ionoscloud_ipblock.main.ips[0]]
    consumers  = length(data.ionoscloud_ipblock.main.ip_consumers)
    snapshot   = data.ionoscloud_snapshot.main.size
  }
}
