package main

import ionos "github.com/ionos-cloud/sdk-go/v6"

func gateway(dc, ip string) {
	api := client.NATGatewaysApi
	subnet := *read(client.LANsApi.DatacentersLansFindById(ctx, dc, "2").Execute()).Properties.Ipv4CidrBlock
	propertiesOf := func(name string) *ionos.NatGatewayProperties {
		lans := []ionos.NatGatewayLanProperties{{Id: number(2)}}
		return &ionos.NatGatewayProperties{Name: &name, PublicIps: &[]string{ip}, Lans: &lans}
	}
	life[ionos.NatGateway]{
		create: func() seen {
			gateway := ionos.NatGateway{Properties: propertiesOf("nat")}
			return accepted(api.DatacentersNatgatewaysPost(ctx, dc).NatGateway(gateway).Execute())
		},
		list: func() any {
			return read(api.DatacentersNatgatewaysGet(ctx, dc).Depth(1).Filter("name", "NAT").Execute())
		},
		change: func(id string) seen {
			patch := ionos.NatGatewayProperties{Name: text("renamed")}
			return accepted(api.DatacentersNatgatewaysPatch(ctx, dc, id).NatGatewayProperties(patch).Execute())
		},
		put: func(id string) seen {
			whole := ionos.NatGatewayPut{Properties: propertiesOf("put")}
			return accepted(api.DatacentersNatgatewaysPut(ctx, dc, id).NatGateway(whole).Execute())
		},
		get: func(id string) (ionos.NatGateway, *ionos.APIResponse, error) {
			return api.DatacentersNatgatewaysFindByNatGatewayId(ctx, dc, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersNatgatewaysDelete(ctx, dc, id).Execute()
		},
		inside: func(id string) {
			gatewayRules(dc, id, ip, subnet)
			gatewayLogs(dc, id)
		},
	}.run("natgateway_life")
}

func gatewayRules(dc, gateway, ip, subnet string) {
	api := client.NATGatewaysApi
	propertiesOf := func(name string, protocol ionos.NatGatewayRuleProtocol) *ionos.NatGatewayRuleProperties {
		return &ionos.NatGatewayRuleProperties{
			Name: &name, Protocol: &protocol, SourceSubnet: &subnet, PublicIp: &ip,
		}
	}
	life[ionos.NatGatewayRule]{
		create: func() seen {
			rule := ionos.NatGatewayRule{Properties: propertiesOf("out", ionos.TCP)}
			return accepted(api.DatacentersNatgatewaysRulesPost(ctx, dc, gateway).NatGatewayRule(rule).Execute())
		},
		list: func() any {
			return read(api.DatacentersNatgatewaysRulesGet(ctx, dc, gateway).Depth(1).Filter("name", "OUT").Execute())
		},
		change: func(id string) seen {
			patch := ionos.NatGatewayRuleProperties{Name: text("away")}
			change := api.DatacentersNatgatewaysRulesPatch(ctx, dc, gateway, id)
			return accepted(change.NatGatewayRuleProperties(patch).Execute())
		},
		put: func(id string) seen {
			whole := ionos.NatGatewayRulePut{Properties: propertiesOf("put", ionos.UDP)}
			return accepted(api.DatacentersNatgatewaysRulesPut(ctx, dc, gateway, id).NatGatewayRule(whole).Execute())
		},
		get: func(id string) (ionos.NatGatewayRule, *ionos.APIResponse, error) {
			return api.DatacentersNatgatewaysRulesFindByNatGatewayRuleId(ctx, dc, gateway, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersNatgatewaysRulesDelete(ctx, dc, gateway, id).Execute()
		},
	}.run("natgateway_rule_life")
}

func gatewayLogs(dc, gateway string) {
	api := client.NATGatewaysApi
	life[ionos.FlowLog]{
		create: func() seen {
			log := ionos.FlowLog{Properties: flowLogOf("log")}
			return accepted(api.DatacentersNatgatewaysFlowlogsPost(ctx, dc, gateway).NatGatewayFlowLog(log).Execute())
		},
		list: func() any {
			list := api.DatacentersNatgatewaysFlowlogsGet(ctx, dc, gateway)
			return read(list.Depth(1).Filter("name", "LOG").Execute())
		},
		change: func(id string) seen {
			other := ionos.FlowLogProperties{Name: text("other")}
			change := api.DatacentersNatgatewaysFlowlogsPatch(ctx, dc, gateway, id)
			return accepted(change.NatGatewayFlowLogProperties(other).Execute())
		},
		put: func(id string) seen {
			put := api.DatacentersNatgatewaysFlowlogsPut(ctx, dc, gateway, id)
			return accepted(put.NatGatewayFlowLog(ionos.FlowLogPut{Properties: flowLogOf("put")}).Execute())
		},
		get: func(id string) (ionos.FlowLog, *ionos.APIResponse, error) {
			return api.DatacentersNatgatewaysFlowlogsFindByFlowLogId(ctx, dc, gateway, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersNatgatewaysFlowlogsDelete(ctx, dc, gateway, id).Execute()
		},
	}.run("natgateway_flowlog_life")
}
