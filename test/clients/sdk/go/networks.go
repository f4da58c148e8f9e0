package main

import ionos "github.com/ionos-cloud/sdk-go/v6"

func networks() {
	_, dc := createDatacenter(named("networks"))
	for _, public := range []*bool{yes(), no()} {
		lan := ionos.Lan{Properties: &ionos.LanProperties{Public: public}}
		accepted(client.LANsApi.DatacentersLansPost(ctx, dc).Lan(lan).Execute())
	}
	properties := ionos.IpBlockProperties{Name: text(named("networks")), Location: text("de/txl"), Size: number(3)}
	block, response, err := client.IPBlocksApi.IpblocksPost(ctx).Ipblock(ionos.IpBlock{Properties: &properties}).Execute()
	accepted(block, response, err)
	ips := *block.Properties.Ips
	server := idOf(createServer(dc, ionos.Server{Properties: &ionos.ServerProperties{
		Name: text("target"), Cores: number(1), Ram: number(1024),
	}})["body"])
	nic, response, err := client.NetworkInterfacesApi.DatacentersServersNicsPost(ctx, dc, server).
		Nic(nicOf("inside", 2)).Execute()
	accepted(nic, response, err)
	target := (*nic.Properties.Ips)[0]
	securityChecks(dc, server, *nic.Id)
	crossConnect(dc)
	backupUnit()
	classic(dc, *nic.Id)
	network(dc, ips[0], target)
	application(dc, ips[1], target)
	gateway(dc, ips[2])
}

func groupRule(name string) *ionos.FirewallruleProperties {
	return &ionos.FirewallruleProperties{Name: &name, Protocol: text("TCP")}
}

func securityChecks(dc, server, nic string) {
	api := client.SecurityGroupsApi
	groupOf := func(name, description string) ionos.SecurityGroupRequest {
		properties := ionos.SecurityGroupProperties{Name: &name, Description: &description}
		return ionos.SecurityGroupRequest{Properties: &properties}
	}
	life[ionos.SecurityGroup]{
		create: func() seen {
			group := groupOf("web", "first")
			return accepted(api.DatacentersSecuritygroupsPost(ctx, dc).SecurityGroup(group).Execute())
		},
		list: func() any {
			return read(api.DatacentersSecuritygroupsGet(ctx, dc).Depth(1).Filter("name", "WEB").Execute())
		},
		change: func(id string) seen {
			patch := *groupOf("web", "second").Properties
			return accepted(api.DatacentersSecuritygroupsPatch(ctx, dc, id).SecurityGroup(patch).Execute())
		},
		put: func(id string) seen {
			whole := groupOf("put", "third")
			return accepted(api.DatacentersSecuritygroupsPut(ctx, dc, id).SecurityGroup(whole).Execute())
		},
		get: func(id string) (ionos.SecurityGroup, *ionos.APIResponse, error) {
			return api.DatacentersSecuritygroupsFindById(ctx, dc, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersSecuritygroupsDelete(ctx, dc, id).Execute()
		},
		inside: func(id string) {
			groupRuleChecks(dc, id)
			assignments(dc, server, nic, id)
		},
	}.run("securitygroup_life")
}

func groupRuleChecks(dc, group string) {
	api := client.SecurityGroupsApi
	life[ionos.FirewallRule]{
		create: func() seen {
			properties := groupRule("http")
			properties.PortRangeStart, properties.PortRangeEnd = number(80), number(80)
			rule := ionos.FirewallRule{Properties: properties}
			return accepted(api.DatacentersSecuritygroupsFirewallrulesPost(ctx, dc, group).FirewallRule(rule).Execute())
		},
		list: func() any {
			return read(api.DatacentersSecuritygroupsRulesGet(ctx, dc, group).Depth(1).Filter("name", "HTTP").Execute())
		},
		change: func(id string) seen {
			patch := ionos.FirewallruleProperties{PortRangeEnd: number(90)}
			return accepted(api.DatacentersSecuritygroupsRulesPatch(ctx, dc, group, id).Rule(patch).Execute())
		},
		put: func(id string) seen {
			whole := groupRule("ping")
			whole.Type = text("EGRESS")
			rule := ionos.FirewallRule{Properties: whole}
			return accepted(api.DatacentersSecuritygroupsRulesPut(ctx, dc, group, id).Rule(rule).Execute())
		},
		get: func(id string) (ionos.FirewallRule, *ionos.APIResponse, error) {
			return api.DatacentersSecuritygroupsRulesFindById(ctx, dc, group, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersSecuritygroupsFirewallrulesDelete(ctx, dc, group, id).Execute()
		},
	}.run("securitygroup_rule_life")
}

func assignments(dc, server, nic, group string) {
	api := client.SecurityGroupsApi
	toServer := func(ids ...string) seen {
		list := ionos.ListOfIds{Ids: &ids}
		return accepted(api.DatacentersServersSecuritygroupsPut(ctx, dc, server).Securitygroups(list).Execute())
	}
	toNic := func(ids ...string) seen {
		list := ionos.ListOfIds{Ids: &ids}
		return accepted(api.DatacentersServersNicsSecuritygroupsPut(ctx, dc, server, nic).Securitygroups(list).Execute())
	}
	none := []string{}
	report("securitygroup_assign", seen{
		"id":      group,
		"server":  toServer(group),
		"nic":     toNic(group),
		"after":   getServer(dc, server, 3),
		"emptied": []seen{toServer(none...), toNic(none...)},
	})
}

func crossConnect(dc string) {
	api, lans := client.PrivateCrossConnectsApi, client.LANsApi
	life[ionos.PrivateCrossConnect]{
		create: func() seen {
			properties := ionos.PrivateCrossConnectProperties{Name: text(named("pcc")), Description: text("first")}
			return accepted(api.PccsPost(ctx).Pcc(ionos.PrivateCrossConnect{Properties: &properties}).Execute())
		},
		list: func() any { return read(api.PccsGet(ctx).Depth(1).Filter("name", named("PCC")).Execute()) },
		change: func(id string) seen {
			patch := ionos.PrivateCrossConnectProperties{Description: text("second")}
			return accepted(api.PccsPatch(ctx, id).Pcc(patch).Execute())
		},
		get: func(id string) (ionos.PrivateCrossConnect, *ionos.APIResponse, error) {
			return api.PccsFindById(ctx, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) { return api.PccsDelete(ctx, id).Execute() },
		inside: func(id string) {
			properties := ionos.LanProperties{Name: text("connected"), Public: no(), Pcc: &id}
			lan, response, err := lans.DatacentersLansPost(ctx, dc).Lan(ionos.Lan{Properties: &properties}).Execute()
			accepted(lan, response, err)
			report("pcc_peers", seen{"dc": dc, "lan": *lan.Id, "after": read(api.PccsFindById(ctx, id).Execute())})
			deleted(lans.DatacentersLansDelete(ctx, dc, *lan.Id).Execute())
		},
	}.run("pcc_life")
}

func backupUnit() {
	api := client.BackupUnitsApi
	unitOf := func(email string) ionos.BackupUnit {
		return ionos.BackupUnit{Properties: &ionos.BackupUnitProperties{
			Name: text(settings.Tag + "unit"), Email: &email, Password: text("APasswordOfTests1"),
		}}
	}
	life[ionos.BackupUnit]{
		create: func() seen { return accepted(api.BackupunitsPost(ctx).BackupUnit(unitOf("a@example.com")).Execute()) },
		list:   func() any { return read(api.BackupunitsGet(ctx).Depth(1).Filter("name", settings.Tag).Execute()) },
		change: func(id string) seen {
			patch := ionos.BackupUnitProperties{Email: text("b@example.com")}
			return accepted(api.BackupunitsPatch(ctx, id).BackupUnit(patch).Execute())
		},
		put: func(id string) seen {
			return accepted(api.BackupunitsPut(ctx, id).BackupUnit(unitOf("c@example.com")).Execute())
		},
		get: func(id string) (ionos.BackupUnit, *ionos.APIResponse, error) {
			return api.BackupunitsFindById(ctx, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) { return api.BackupunitsDelete(ctx, id).Execute() },
		inside: func(id string) {
			report("backupunit_sso", seen{"body": read(api.BackupunitsSsourlGet(ctx, id).Execute())})
		},
	}.run("backupunit_life")
}

func classic(dc, nic string) {
	api := client.LoadBalancersApi
	balancerOf := func(name string) ionos.Loadbalancer {
		return ionos.Loadbalancer{Properties: &ionos.LoadbalancerProperties{Name: &name, Dhcp: yes()}}
	}
	life[ionos.Loadbalancer]{
		create: func() seen {
			return accepted(api.DatacentersLoadbalancersPost(ctx, dc).Loadbalancer(balancerOf("classic")).Execute())
		},
		list: func() any {
			return read(api.DatacentersLoadbalancersGet(ctx, dc).Depth(1).Filter("name", "CLASSIC").Execute())
		},
		change: func(id string) seen {
			patch := ionos.LoadbalancerProperties{Name: text("renamed")}
			return accepted(api.DatacentersLoadbalancersPatch(ctx, dc, id).Loadbalancer(patch).Execute())
		},
		put: func(id string) seen {
			return accepted(api.DatacentersLoadbalancersPut(ctx, dc, id).Loadbalancer(balancerOf("put")).Execute())
		},
		get: func(id string) (ionos.Loadbalancer, *ionos.APIResponse, error) {
			return api.DatacentersLoadbalancersFindById(ctx, dc, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersLoadbalancersDelete(ctx, dc, id).Execute()
		},
		inside: func(id string) {
			add := api.DatacentersLoadbalancersBalancednicsPost(ctx, dc, id).Nic(ionos.Nic{Id: &nic})
			added := accepted(add.Execute())
			list := read(api.DatacentersLoadbalancersBalancednicsGet(ctx, dc, id).Depth(1).Execute())
			ended := deleted(api.DatacentersLoadbalancersBalancednicsDelete(ctx, dc, id, nic).Execute())
			left := read(api.DatacentersLoadbalancersBalancednicsGet(ctx, dc, id).Execute())
			report("loadbalancer_nics", seen{"id": nic, "attached": added, "seen": list, "ended": ended, "left": left})
		},
	}.run("loadbalancer_life")
}
