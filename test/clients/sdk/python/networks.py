"""Load balancers, gateways, security groups and other networking resources."""
import ionoscloud as sdk
from client import accepted, answered, client, report, tag, wire
from infrastructure import blocks, create_datacenter, lans
from life import life
from servers import all_servers, nics

groups = sdk.SecurityGroupsApi(client)


def networks():
    dc = create_datacenter(f'{tag}-networks')['body']['id']
    for public in (True, False):
        lan = sdk.Lan(properties=sdk.LanProperties(public=public))
        accepted(lans.datacenters_lans_post_with_http_info(dc, lan))
    block = sdk.IpBlock(properties=sdk.IpBlockProperties(location='de/txl', size=3, name=f'{tag}-networks'))
    ips = accepted(blocks.ipblocks_post_with_http_info(block))['body']['properties']['ips']
    server = sdk.Server(properties=sdk.ServerProperties(name='target', cores=1, ram=1024))
    target = accepted(all_servers.datacenters_servers_post_with_http_info(dc, server))['body']['id']
    nic = sdk.Nic(properties=sdk.NicProperties(name='inside', lan=2, dhcp=True))
    inside = accepted(nics.datacenters_servers_nics_post_with_http_info(dc, target, nic))['body']
    security_groups(dc, target, inside['id'])
    cross_connect(dc)
    backup_unit()
    classic(dc, inside['id'])
    network(dc, ips[0], inside['properties']['ips'][0])
    application(dc, ips[1], inside['properties']['ips'][0])
    gateway(dc, ips[2])


def security_groups(dc, server, nic):
    def assigned(answer):
        accepted(answer)
        return answered(answer)

    def inside(id):
        rule = sdk.FirewallruleProperties(name='http', protocol='TCP', port_range_start=80, port_range_end=80)
        whole = sdk.FirewallruleProperties(name='ping', protocol='TCP', type='EGRESS')
        life(
            'securitygroup_rule_life',
            groups,
            'datacenters_securitygroups_rules',
            (dc, id),
            sdk.FirewallRule(properties=rule),
            sdk.FirewallruleProperties(port_range_end=90),
            sdk.FirewallRule(properties=whole),
            post='datacenters_securitygroups_firewallrules_post',
            delete='datacenters_securitygroups_firewallrules_delete',
        )
        ids = sdk.ListOfIds(ids=[id])
        none = sdk.ListOfIds(ids=[])
        to_server = groups.datacenters_servers_securitygroups_put_with_http_info
        to_nic = groups.datacenters_servers_nics_securitygroups_put_with_http_info
        report(
            'securitygroup_assign',
            id=id,
            server=assigned(to_server(dc, server, ids)),
            nic=assigned(to_nic(dc, server, nic, ids)),
            after=wire(all_servers.datacenters_servers_find_by_id(dc, server, depth=3)),
            emptied=[assigned(to_server(dc, server, none)), assigned(to_nic(dc, server, nic, none))],
        )

    properties = sdk.SecurityGroupProperties(name='web', description='first')
    life(
        'securitygroup_life',
        groups,
        'datacenters_securitygroups',
        (dc,),
        sdk.SecurityGroupRequest(properties=properties),
        sdk.SecurityGroupProperties(name='web', description='second'),
        sdk.SecurityGroupRequest(properties=sdk.SecurityGroupProperties(name='put', description='third')),
        inside,
    )


def cross_connect(dc):
    pccs = sdk.PrivateCrossConnectsApi(client)

    def inside(id):
        lan = sdk.Lan(properties=sdk.LanProperties(name='connected', public=False, pcc=id))
        joined = accepted(lans.datacenters_lans_post_with_http_info(dc, lan))['body']['id']
        report('pcc_peers', dc=dc, lan=joined, after=wire(pccs.pccs_find_by_id(id)))
        accepted(lans.datacenters_lans_delete_with_http_info(dc, joined))

    properties = sdk.PrivateCrossConnectProperties(name=f'{tag}-pcc', description='first')
    life(
        'pcc_life',
        pccs,
        'pccs',
        (),
        sdk.PrivateCrossConnect(properties=properties),
        sdk.PrivateCrossConnectProperties(description='second'),
        inside=inside,
    )


def backup_unit():
    units = sdk.BackupUnitsApi(client)
    properties = {'name': f'{tag}unit', 'email': 'a@example.com', 'password': 'APasswordOfTests1'}
    life(
        'backupunit_life',
        units,
        'backupunits',
        (),
        sdk.BackupUnit(properties=sdk.BackupUnitProperties(**properties)),
        sdk.BackupUnitProperties(email='b@example.com'),
        sdk.BackupUnit(properties=sdk.BackupUnitProperties(**{**properties, 'email': 'c@example.com'})),
        lambda id: report('backupunit_sso', body=wire(units.backupunits_ssourl_get(id))),
    )


def classic(dc, nic):
    balancers = sdk.LoadBalancersApi(client)

    def inside(id):
        added = accepted(
            balancers.datacenters_loadbalancers_balancednics_post_with_http_info(dc, id, sdk.Nic(id=nic))
        )
        seen = wire(balancers.datacenters_loadbalancers_balancednics_get(dc, id, depth=1))
        ended = accepted(balancers.datacenters_loadbalancers_balancednics_delete_with_http_info(dc, id, nic))
        left = wire(balancers.datacenters_loadbalancers_balancednics_get(dc, id))
        report('loadbalancer_nics', id=nic, attached=added, seen=seen, ended=ended, left=left)

    life(
        'loadbalancer_life',
        balancers,
        'datacenters_loadbalancers',
        (dc,),
        sdk.Loadbalancer(properties=sdk.LoadbalancerProperties(name='classic', dhcp=True)),
        sdk.LoadbalancerProperties(name='renamed'),
        sdk.Loadbalancer(properties=sdk.LoadbalancerProperties(name='put', dhcp=True)),
        inside,
    )


def flow_logs(check, api, path, parents):
    log = {'name': 'log', 'action': 'ALL', 'direction': 'INGRESS', 'bucket': f'{tag}-logs'}
    life(
        check,
        api,
        f'{path}_flowlogs',
        parents,
        sdk.FlowLog(properties=sdk.FlowLogProperties(**log)),
        sdk.FlowLogProperties(name='other'),
        sdk.FlowLogPut(properties=sdk.FlowLogProperties(**{**log, 'name': 'put'})),
        find='find_by_flow_log_id',
    )


def network(dc, ip, target):
    balancers = sdk.NetworkLoadBalancersApi(client)
    path = 'datacenters_networkloadbalancers'
    properties = {'name': 'nlb', 'listener_lan': 1, 'target_lan': 2, 'ips': [ip]}

    def inside(id):
        targets = [sdk.NetworkLoadBalancerForwardingRuleTarget(ip=target, port=80, weight=1)]
        rule = {
            'name': 'web',
            'algorithm': 'ROUND_ROBIN',
            'protocol': 'TCP',
            'listener_ip': ip,
            'listener_port': 80,
            'targets': targets,
        }
        Rule = sdk.NetworkLoadBalancerForwardingRuleProperties
        changed = {'name': 'web', 'algorithm': 'RANDOM', 'protocol': 'TCP', 'listener_ip': ip}
        life(
            'networkloadbalancer_rule_life',
            balancers,
            f'{path}_forwardingrules',
            (dc, id),
            sdk.NetworkLoadBalancerForwardingRule(properties=Rule(**rule)),
            Rule(**changed, listener_port=80, targets=targets),
            sdk.NetworkLoadBalancerForwardingRulePut(properties=Rule(**{**rule, 'listener_port': 81})),
            find='find_by_forwarding_rule_id',
        )
        flow_logs('networkloadbalancer_flowlog_life', balancers, path, (dc, id))

    life(
        'networkloadbalancer_life',
        balancers,
        path,
        (dc,),
        sdk.NetworkLoadBalancer(properties=sdk.NetworkLoadBalancerProperties(**properties)),
        sdk.NetworkLoadBalancerProperties(name='renamed', listener_lan=1, target_lan=2),
        sdk.NetworkLoadBalancerPut(properties=sdk.NetworkLoadBalancerProperties(**{**properties, 'name': 'put'})),
        inside,
        find='find_by_network_load_balancer_id',
    )


def application(dc, ip, target):
    balancers = sdk.ApplicationLoadBalancersApi(client)
    path = 'datacenters_applicationloadbalancers'
    properties = {'name': 'alb', 'listener_lan': 1, 'target_lan': 2, 'ips': [ip]}

    def with_group(group):
        rules = [sdk.ApplicationLoadBalancerHttpRule(name='to', type='FORWARD', target_group=group)]
        rule = {'name': 'site', 'protocol': 'HTTP', 'listener_ip': ip, 'listener_port': 80, 'http_rules': rules}
        Rule = sdk.ApplicationLoadBalancerForwardingRuleProperties

        def inside(id):
            life(
                'applicationloadbalancer_rule_life',
                balancers,
                f'{path}_forwardingrules',
                (dc, id),
                sdk.ApplicationLoadBalancerForwardingRule(properties=Rule(**rule)),
                Rule(name='site', protocol='HTTP', listener_ip=ip, listener_port=81),
                sdk.ApplicationLoadBalancerForwardingRulePut(properties=Rule(**{**rule, 'client_timeout': 9000})),
                find='find_by_forwarding_rule_id',
            )
            flow_logs('applicationloadbalancer_flowlog_life', balancers, path, (dc, id))

        Balancer = sdk.ApplicationLoadBalancerProperties
        life(
            'applicationloadbalancer_life',
            balancers,
            path,
            (dc,),
            sdk.ApplicationLoadBalancer(properties=Balancer(**properties)),
            Balancer(name='renamed', listener_lan=1, target_lan=2),
            sdk.ApplicationLoadBalancerPut(properties=Balancer(**{**properties, 'name': 'put'})),
            inside,
            find='find_by_application_load_balancer_id',
        )

    targets = [sdk.TargetGroupTarget(ip=target, port=80, weight=1)]
    group = {'name': f'{tag}-group', 'algorithm': 'ROUND_ROBIN', 'protocol': 'HTTP', 'targets': targets}
    Group = sdk.TargetGroupProperties
    life(
        'targetgroup_life',
        sdk.TargetGroupsApi(client),
        'targetgroups',
        (),
        sdk.TargetGroup(properties=Group(**group)),
        Group(name=f'{tag}-group', algorithm='RANDOM', protocol='HTTP'),
        sdk.TargetGroupPut(properties=Group(**{**group, 'algorithm': 'SOURCE_IP'})),
        with_group,
        find='find_by_target_group_id',
        delete='target_groups_delete',
    )


def gateway(dc, ip):
    gateways = sdk.NATGatewaysApi(client)
    path = 'datacenters_natgateways'
    range = wire(lans.datacenters_lans_find_by_id(dc, '2'))['properties']['ipv4CidrBlock']
    lan = sdk.NatGatewayLanProperties(id=2)
    properties = {'name': 'nat', 'public_ips': [ip], 'lans': [lan]}

    def inside(id):
        rule = {'name': 'out', 'protocol': 'TCP', 'source_subnet': range, 'public_ip': ip}
        Rule = sdk.NatGatewayRuleProperties
        life(
            'natgateway_rule_life',
            gateways,
            f'{path}_rules',
            (dc, id),
            sdk.NatGatewayRule(properties=Rule(**rule)),
            Rule(name='away', source_subnet=range, public_ip=ip),
            sdk.NatGatewayRulePut(properties=Rule(**{**rule, 'name': 'put', 'protocol': 'UDP'})),
            find='find_by_nat_gateway_rule_id',
        )
        flow_logs('natgateway_flowlog_life', gateways, path, (dc, id))

    life(
        'natgateway_life',
        gateways,
        path,
        (dc,),
        sdk.NatGateway(properties=sdk.NatGatewayProperties(**properties)),
        sdk.NatGatewayProperties(name='renamed', public_ips=[ip]),
        sdk.NatGatewayPut(properties=sdk.NatGatewayProperties(**{**properties, 'name': 'put'})),
        inside,
        find='find_by_nat_gateway_id',
    )
