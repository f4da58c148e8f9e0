// The tool names that existing prompts and configurations use, by product, and the names that only this project has.

const byProduct = {
  compute: `
    list_datacenters get_datacenter list_servers get_server list_server_volumes list_server_cdroms
    list_server_gpus get_server_gpu get_server_remote_console list_volumes get_volume list_nics get_nic
    list_lans get_lan list_lan_nics list_firewall_rules get_firewall_rule list_ip_blocks get_ip_block
    list_loadbalancers get_loadbalancer list_loadbalancer_nics list_network_loadbalancers
    get_network_loadbalancer list_nlb_forwarding_rules list_application_loadbalancers
    get_application_loadbalancer list_alb_forwarding_rules list_target_groups get_target_group
    list_nat_gateways get_nat_gateway list_nat_gateway_rules list_private_cross_connects
    get_private_cross_connect list_security_groups get_security_group list_security_group_rules
    get_security_group_rule get_contract list_requests get_request get_request_status list_templates
    get_template list_images list_locations list_snapshots get_snapshot`,
  objectStorage: `
    list_object_storage_access_keys get_object_storage_access_key list_object_storage_regions
    get_object_storage_region list_object_storage_buckets get_object_storage_bucket_location
    head_object_storage_bucket get_object_storage_bucket_cors get_object_storage_bucket_encryption
    get_object_storage_bucket_lifecycle get_object_storage_bucket_policy
    get_object_storage_bucket_policy_status get_object_storage_bucket_replication
    get_object_storage_bucket_tagging get_object_storage_bucket_versioning
    get_object_storage_bucket_public_access_block get_object_storage_bucket_lock_configuration
    list_object_storage_objects head_object_storage_object list_object_storage_object_versions
    get_object_storage_object_tagging get_object_storage_object_retention get_object_storage_object_legal_hold`,
  dns: `
    list_dns_zones get_dns_zone get_dns_zone_file list_dns_records list_dns_zone_records get_dns_record
    list_dns_secondary_zone_records list_dns_reverse_records get_dns_reverse_record list_dns_secondary_zones
    get_dns_secondary_zone get_dns_secondary_zone_axfr list_dns_zone_dnssec_keys get_dns_quota`,
  certificates: `
    list_cert_certificates get_cert_certificate list_cert_auto_certificates get_cert_auto_certificate
    list_cert_providers get_cert_provider`,
  billing: `
    get_billing_profile list_billing_evn list_billing_evn_by_period list_billing_invoices
    list_billing_invoices_by_period get_billing_invoice list_billing_traffic list_billing_traffic_by_period
    list_billing_usage get_billing_usage_by_datacenter list_billing_utilization
    list_billing_utilization_by_period get_billing_utilization_daily list_billing_products
    get_billing_focus_spec`,
  activityLog: `
    list_activitylog_contracts list_activitylog_events`,
  insight: `
    explain_reachability show_topology what_changed monthly_cost find_unused estimate_cost search_logs
    query_metrics explain_alert`,
};

export const names: readonly string[] = Object.values(byProduct).flatMap((words) => words.trim().split(/\s+/));
