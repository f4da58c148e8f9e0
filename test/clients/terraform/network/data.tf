# Lookups of the created resources.
data "ionoscloud_networkloadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = ionoscloud_networkloadbalancer.main.name
}

data "ionoscloud_networkloadbalancer_forwardingrule" "main" {
  datacenter_id          = ionoscloud_datacenter.main.id
  networkloadbalancer_id = ionoscloud_networkloadbalancer.main.id
  name                   = ionoscloud_networkloadbalancer_forwardingrule.main.name
}

data "ionoscloud_application_loadbalancer" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "${var.tag}-alb"
  partial_match = true
  depends_on    = [ionoscloud_application_loadbalancer.main]
}

data "ionoscloud_application_loadbalancer_forwardingrule" "main" {
  datacenter_id               = ionoscloud_datacenter.main.id
  application_loadbalancer_id = ionoscloud_application_loadbalancer.main.id
  id                          = ionoscloud_application_loadbalancer_forwardingrule.main.id
}

data "ionoscloud_target_group" "main" {
  name = ionoscloud_target_group.main.name
}

data "ionoscloud_natgateway" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = ionoscloud_natgateway.main.name
}

data "ionoscloud_natgateway_rule" "main" {
  datacenter_id = ionoscloud_datacenter.main.id
  natgateway_id = ionoscloud_natgateway.main.id
  name          = ionoscloud_natgateway_rule.main.name
}

data "ionoscloud_nsg" "web" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = ionoscloud_nsg.web[0].name
  depends_on    = [ionoscloud_nsg_firewallrule.http, ionoscloud_nsg_firewallrule.ping]
}

data "ionoscloud_private_crossconnect" "main" {
  name       = ionoscloud_private_crossconnect.main.name
  depends_on = [ionoscloud_lan.connected]
}

data "ionoscloud_backup_unit" "main" {
  name = ionoscloud_backup_unit.main.name
}

output "seen" {
  value = {
    nlb      = data.ionoscloud_networkloadbalancer.main.name
    nlb_rule = data.ionoscloud_networkloadbalancer_forwardingrule.main.algorithm
    alb      = data.ionoscloud_application_loadbalancer.main.name
    alb_rule = [for one in data.ionoscloud_application_loadbalancer_forwardingrule.main.http_rules : one.type]
    targets  = length(data.ionoscloud_target_group.main.targets)
    nat      = data.ionoscloud_natgateway.main.name
    nat_rule = data.ionoscloud_natgateway_rule.main.target_port_range[0].end
    rules    = sort([for one in data.ionoscloud_nsg.web.rules : one.name])
    peers    = sort([for one in data.ionoscloud_private_crossconnect.main.peers : one.lan_name])
    backup   = data.ionoscloud_backup_unit.main.email
  }
}
