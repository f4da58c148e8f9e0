package main

import ionos "github.com/ionos-cloud/sdk-go/v6"

func network(dc, ip, target string) {
	api := client.NetworkLoadBalancersApi
	propertiesOf := func(name string) *ionos.NetworkLoadBalancerProperties {
		return &ionos.NetworkLoadBalancerProperties{
			Name: &name, ListenerLan: number(1), TargetLan: number(2), Ips: &[]string{ip},
		}
	}
	life[ionos.NetworkLoadBalancer]{
		create: func() seen {
			balancer := ionos.NetworkLoadBalancer{Properties: propertiesOf("nlb")}
			return accepted(api.DatacentersNetworkloadbalancersPost(ctx, dc).NetworkLoadBalancer(balancer).Execute())
		},
		list: func() any {
			return read(api.DatacentersNetworkloadbalancersGet(ctx, dc).Depth(1).Filter("name", "NLB").Execute())
		},
		change: func(id string) seen {
			patch := ionos.NetworkLoadBalancerProperties{Name: text("renamed")}
			change := api.DatacentersNetworkloadbalancersPatch(ctx, dc, id)
			return accepted(change.NetworkLoadBalancerProperties(patch).Execute())
		},
		put: func(id string) seen {
			whole := ionos.NetworkLoadBalancerPut{Properties: propertiesOf("put")}
			return accepted(api.DatacentersNetworkloadbalancersPut(ctx, dc, id).NetworkLoadBalancer(whole).Execute())
		},
		get: func(id string) (ionos.NetworkLoadBalancer, *ionos.APIResponse, error) {
			return api.DatacentersNetworkloadbalancersFindByNetworkLoadBalancerId(ctx, dc, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersNetworkloadbalancersDelete(ctx, dc, id).Execute()
		},
		inside: func(id string) {
			networkRules(dc, id, ip, target)
			networkLogs(dc, id)
		},
	}.run("networkloadbalancer_life")
}

func networkRules(dc, balancer, ip, target string) {
	api := client.NetworkLoadBalancersApi
	targets := []ionos.NetworkLoadBalancerForwardingRuleTarget{{Ip: &target, Port: number(80), Weight: number(1)}}
	propertiesOf := func(port int32) *ionos.NetworkLoadBalancerForwardingRuleProperties {
		return &ionos.NetworkLoadBalancerForwardingRuleProperties{
			Name: text("web"), Algorithm: text("ROUND_ROBIN"), Protocol: text("TCP"),
			ListenerIp: &ip, ListenerPort: &port, Targets: &targets,
		}
	}
	life[ionos.NetworkLoadBalancerForwardingRule]{
		create: func() seen {
			rule := ionos.NetworkLoadBalancerForwardingRule{Properties: propertiesOf(80)}
			create := api.DatacentersNetworkloadbalancersForwardingrulesPost(ctx, dc, balancer)
			return accepted(create.NetworkLoadBalancerForwardingRule(rule).Execute())
		},
		list: func() any {
			list := api.DatacentersNetworkloadbalancersForwardingrulesGet(ctx, dc, balancer)
			return read(list.Depth(1).Filter("name", "WEB").Execute())
		},
		change: func(id string) seen {
			patch := ionos.NetworkLoadBalancerForwardingRuleProperties{Algorithm: text("RANDOM")}
			change := api.DatacentersNetworkloadbalancersForwardingrulesPatch(ctx, dc, balancer, id)
			return accepted(change.NetworkLoadBalancerForwardingRuleProperties(patch).Execute())
		},
		put: func(id string) seen {
			whole := ionos.NetworkLoadBalancerForwardingRulePut{Properties: propertiesOf(81)}
			put := api.DatacentersNetworkloadbalancersForwardingrulesPut(ctx, dc, balancer, id)
			return accepted(put.NetworkLoadBalancerForwardingRule(whole).Execute())
		},
		get: func(id string) (ionos.NetworkLoadBalancerForwardingRule, *ionos.APIResponse, error) {
			return api.DatacentersNetworkloadbalancersForwardingrulesFindByForwardingRuleId(ctx, dc, balancer, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersNetworkloadbalancersForwardingrulesDelete(ctx, dc, balancer, id).Execute()
		},
	}.run("networkloadbalancer_rule_life")
}

func networkLogs(dc, balancer string) {
	api := client.NetworkLoadBalancersApi
	life[ionos.FlowLog]{
		create: func() seen {
			log := ionos.FlowLog{Properties: flowLogOf("log")}
			create := api.DatacentersNetworkloadbalancersFlowlogsPost(ctx, dc, balancer)
			return accepted(create.NetworkLoadBalancerFlowLog(log).Execute())
		},
		list: func() any {
			list := api.DatacentersNetworkloadbalancersFlowlogsGet(ctx, dc, balancer)
			return read(list.Depth(1).Filter("name", "LOG").Execute())
		},
		change: func(id string) seen {
			change := api.DatacentersNetworkloadbalancersFlowlogsPatch(ctx, dc, balancer, id)
			other := ionos.FlowLogProperties{Name: text("other")}
			return accepted(change.NetworkLoadBalancerFlowLogProperties(other).Execute())
		},
		put: func(id string) seen {
			put := api.DatacentersNetworkloadbalancersFlowlogsPut(ctx, dc, balancer, id)
			return accepted(put.NetworkLoadBalancerFlowLog(ionos.FlowLogPut{Properties: flowLogOf("put")}).Execute())
		},
		get: func(id string) (ionos.FlowLog, *ionos.APIResponse, error) {
			return api.DatacentersNetworkloadbalancersFlowlogsFindByFlowLogId(ctx, dc, balancer, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersNetworkloadbalancersFlowlogsDelete(ctx, dc, balancer, id).Execute()
		},
	}.run("networkloadbalancer_flowlog_life")
}

func application(dc, ip, target string) {
	api := client.TargetGroupsApi
	targets := []ionos.TargetGroupTarget{{Ip: &target, Port: number(80), Weight: number(1)}}
	propertiesOf := func(algorithm string) *ionos.TargetGroupProperties {
		return &ionos.TargetGroupProperties{
			Name: text(named("group")), Algorithm: &algorithm, Protocol: text("HTTP"), Targets: &targets,
		}
	}
	life[ionos.TargetGroup]{
		create: func() seen {
			group := ionos.TargetGroup{Properties: propertiesOf("ROUND_ROBIN")}
			return accepted(api.TargetgroupsPost(ctx).TargetGroup(group).Execute())
		},
		list: func() any { return read(api.TargetgroupsGet(ctx).Depth(1).Filter("name", named("GROUP")).Execute()) },
		change: func(id string) seen {
			patch := ionos.TargetGroupProperties{Algorithm: text("RANDOM")}
			return accepted(api.TargetgroupsPatch(ctx, id).TargetGroupProperties(patch).Execute())
		},
		put: func(id string) seen {
			whole := ionos.TargetGroupPut{Properties: propertiesOf("SOURCE_IP")}
			return accepted(api.TargetgroupsPut(ctx, id).TargetGroup(whole).Execute())
		},
		get: func(id string) (ionos.TargetGroup, *ionos.APIResponse, error) {
			return api.TargetgroupsFindByTargetGroupId(ctx, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) { return api.TargetGroupsDelete(ctx, id).Execute() },
		inside: func(id string) { applicationBalancer(dc, ip, id) },
	}.run("targetgroup_life")
}

func applicationBalancer(dc, ip, group string) {
	api := client.ApplicationLoadBalancersApi
	propertiesOf := func(name string) *ionos.ApplicationLoadBalancerProperties {
		return &ionos.ApplicationLoadBalancerProperties{
			Name: &name, ListenerLan: number(1), TargetLan: number(2), Ips: &[]string{ip},
		}
	}
	life[ionos.ApplicationLoadBalancer]{
		create: func() seen {
			create := api.DatacentersApplicationloadbalancersPost(ctx, dc)
			balancer := ionos.ApplicationLoadBalancer{Properties: propertiesOf("alb")}
			return accepted(create.ApplicationLoadBalancer(balancer).Execute())
		},
		list: func() any {
			return read(api.DatacentersApplicationloadbalancersGet(ctx, dc).Depth(1).Filter("name", "ALB").Execute())
		},
		change: func(id string) seen {
			change := api.DatacentersApplicationloadbalancersPatch(ctx, dc, id)
			patch := ionos.ApplicationLoadBalancerProperties{Name: text("renamed")}
			return accepted(change.ApplicationLoadBalancerProperties(patch).Execute())
		},
		put: func(id string) seen {
			put := api.DatacentersApplicationloadbalancersPut(ctx, dc, id)
			whole := ionos.ApplicationLoadBalancerPut{Properties: propertiesOf("put")}
			return accepted(put.ApplicationLoadBalancer(whole).Execute())
		},
		get: func(id string) (ionos.ApplicationLoadBalancer, *ionos.APIResponse, error) {
			return api.DatacentersApplicationloadbalancersFindByApplicationLoadBalancerId(ctx, dc, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersApplicationloadbalancersDelete(ctx, dc, id).Execute()
		},
		inside: func(id string) {
			applicationRules(dc, id, ip, group)
			applicationLogs(dc, id)
		},
	}.run("applicationloadbalancer_life")
}

func applicationRules(dc, balancer, ip, group string) {
	api := client.ApplicationLoadBalancersApi
	rules := []ionos.ApplicationLoadBalancerHttpRule{{Name: text("to"), Type: text("FORWARD"), TargetGroup: &group}}
	propertiesOf := func(timeout *int32) *ionos.ApplicationLoadBalancerForwardingRuleProperties {
		return &ionos.ApplicationLoadBalancerForwardingRuleProperties{
			Name: text("site"), Protocol: text("HTTP"), ListenerIp: &ip, ListenerPort: number(80),
			ClientTimeout: timeout, HttpRules: &rules,
		}
	}
	life[ionos.ApplicationLoadBalancerForwardingRule]{
		create: func() seen {
			create := api.DatacentersApplicationloadbalancersForwardingrulesPost(ctx, dc, balancer)
			rule := ionos.ApplicationLoadBalancerForwardingRule{Properties: propertiesOf(nil)}
			return accepted(create.ApplicationLoadBalancerForwardingRule(rule).Execute())
		},
		list: func() any {
			list := api.DatacentersApplicationloadbalancersForwardingrulesGet(ctx, dc, balancer)
			return read(list.Depth(1).Filter("name", "SITE").Execute())
		},
		change: func(id string) seen {
			change := api.DatacentersApplicationloadbalancersForwardingrulesPatch(ctx, dc, balancer, id)
			patch := ionos.ApplicationLoadBalancerForwardingRuleProperties{ListenerPort: number(81)}
			return accepted(change.ApplicationLoadBalancerForwardingRuleProperties(patch).Execute())
		},
		put: func(id string) seen {
			put := api.DatacentersApplicationloadbalancersForwardingrulesPut(ctx, dc, balancer, id)
			whole := ionos.ApplicationLoadBalancerForwardingRulePut{Properties: propertiesOf(number(9000))}
			return accepted(put.ApplicationLoadBalancerForwardingRule(whole).Execute())
		},
		get: func(id string) (ionos.ApplicationLoadBalancerForwardingRule, *ionos.APIResponse, error) {
			return api.DatacentersApplicationloadbalancersForwardingrulesFindByForwardingRuleId(ctx, dc, balancer, id).
				Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersApplicationloadbalancersForwardingrulesDelete(ctx, dc, balancer, id).Execute()
		},
	}.run("applicationloadbalancer_rule_life")
}

func applicationLogs(dc, balancer string) {
	api := client.ApplicationLoadBalancersApi
	life[ionos.FlowLog]{
		create: func() seen {
			create := api.DatacentersApplicationloadbalancersFlowlogsPost(ctx, dc, balancer)
			log := ionos.FlowLog{Properties: flowLogOf("log")}
			return accepted(create.ApplicationLoadBalancerFlowLog(log).Execute())
		},
		list: func() any {
			list := api.DatacentersApplicationloadbalancersFlowlogsGet(ctx, dc, balancer)
			return read(list.Depth(1).Filter("name", "LOG").Execute())
		},
		change: func(id string) seen {
			change := api.DatacentersApplicationloadbalancersFlowlogsPatch(ctx, dc, balancer, id)
			other := ionos.FlowLogProperties{Name: text("other")}
			return accepted(change.ApplicationLoadBalancerFlowLogProperties(other).Execute())
		},
		put: func(id string) seen {
			put := api.DatacentersApplicationloadbalancersFlowlogsPut(ctx, dc, balancer, id)
			return accepted(put.ApplicationLoadBalancerFlowLog(ionos.FlowLogPut{Properties: flowLogOf("put")}).Execute())
		},
		get: func(id string) (ionos.FlowLog, *ionos.APIResponse, error) {
			return api.DatacentersApplicationloadbalancersFlowlogsFindByFlowLogId(ctx, dc, balancer, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersApplicationloadbalancersFlowlogsDelete(ctx, dc, balancer, id).Execute()
		},
	}.run("applicationloadbalancer_flowlog_life")
}
