package main

import ionos "github.com/ionos-cloud/sdk-go/v6"

func volumeChecks(dc, web string) {
	api, servers := client.VolumesApi, client.ServersApi
	volumeOf := func(name string, gigabytes float32) ionos.Volume {
		return ionos.Volume{Properties: &ionos.VolumeProperties{
			Name: &name, Size: &gigabytes, Type: text("SSD Standard"), LicenceType: text("OTHER"),
		}}
	}
	life[ionos.Volume]{
		create: func() seen {
			return accepted(api.DatacentersVolumesPost(ctx, dc).Volume(volumeOf("data", 5)).Execute())
		},
		list: func() any { return read(api.DatacentersVolumesGet(ctx, dc).Depth(1).Filter("name", "DATA").Execute()) },
		change: func(id string) seen {
			grown := ionos.VolumeProperties{Size: size(7)}
			return accepted(api.DatacentersVolumesPatch(ctx, dc, id).Volume(grown).Execute())
		},
		put: func(id string) seen {
			return accepted(api.DatacentersVolumesPut(ctx, dc, id).Volume(volumeOf("more", 8)).Execute())
		},
		get: func(id string) (ionos.Volume, *ionos.APIResponse, error) {
			return api.DatacentersVolumesFindById(ctx, dc, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersVolumesDelete(ctx, dc, id).Execute()
		},
		inside: func(id string) {
			attach := servers.DatacentersServersVolumesPost(ctx, dc, web).Volume(ionos.Volume{Id: &id})
			attached := accepted(attach.Execute())
			list := read(servers.DatacentersServersVolumesGet(ctx, dc, web).Depth(1).Execute())
			ended := deleted(servers.DatacentersServersVolumesDelete(ctx, dc, web, id).Execute())
			gone := refused(servers.DatacentersServersVolumesFindById(ctx, dc, web, id).Execute())
			report("volume_attach", seen{"id": id, "attached": attached, "seen": list, "ended": ended, "gone": gone})
		},
	}.run("volume_life")
}

func cdromChecks(dc, web string) {
	api := client.ServersApi
	iso := *(*oneImage("ubuntu:latest", "CDROM").Items)[0].Id
	bootChecks(dc, web, iso)
	inserted := accepted(api.DatacentersServersCdromsPost(ctx, dc, web).Cdrom(ionos.Image{Id: &iso}).Execute())
	list := read(api.DatacentersServersCdromsGet(ctx, dc, web).Depth(1).Execute())
	ended := deleted(api.DatacentersServersCdromsDelete(ctx, dc, web, iso).Execute())
	gone := refused(api.DatacentersServersCdromsFindById(ctx, dc, web, iso).Execute())
	report("cdrom_attach", seen{"id": iso, "attached": inserted, "seen": list, "ended": ended, "gone": gone})
}

func bootChecks(dc, web, iso string) {
	api := client.ServersApi
	boot := func(device ionos.ServerProperties) ionos.Server {
		accepted(api.DatacentersServersPatch(ctx, dc, web).Server(device).Execute())
		return getServer(dc, web, 1)
	}
	system := firstVolume(dc, web)
	report("server_boot", seen{
		"iso":    iso,
		"system": system,
		"booted": boot(ionos.ServerProperties{BootCdrom: &ionos.ResourceReference{Id: &iso}}),
		"after":  boot(ionos.ServerProperties{BootVolume: &ionos.ResourceReference{Id: &system}}),
	})
	deleted(api.DatacentersServersCdromsDelete(ctx, dc, web, iso).Execute())
}

func snapshotChecks(dc, web string) {
	api, volumes := client.SnapshotsApi, client.VolumesApi
	system := firstVolume(dc, web)
	wish := ionos.CreateSnapshot{
		Properties: &ionos.CreateSnapshotProperties{Name: text(named("copy")), Description: text("first")},
	}
	created := accepted(volumes.DatacentersVolumesCreateSnapshotPost(ctx, dc, system).Snapshot(wish).Execute())
	id := idOf(created["body"])
	listed := read(api.SnapshotsGet(ctx).Depth(1).Filter("name", named("copy")).Execute())
	patch := ionos.SnapshotProperties{Description: text("second")}
	changed := accepted(api.SnapshotsPatch(ctx, id).Snapshot(patch).Execute())
	after := read(api.SnapshotsFindById(ctx, id).Execute())
	back := ionos.RestoreSnapshot{Properties: &ionos.RestoreSnapshotProperties{SnapshotId: &id}}
	restored := deleted(volumes.DatacentersVolumesRestoreSnapshotPost(ctx, dc, system).RestoreSnapshot(back).Execute())
	seed := ionos.Volume{Properties: &ionos.VolumeProperties{
		Name: text("seeded"), Size: size(12), Type: text("HDD"), Image: &id,
	}}
	seeded := accepted(volumes.DatacentersVolumesPost(ctx, dc).Volume(seed).Execute())
	ended := deleted(api.SnapshotsDelete(ctx, id).Execute())
	report("snapshot_life", seen{
		"created": created, "listed": listed, "changed": changed, "after": after, "restored": restored,
		"seeded": seeded, "ended": ended, "gone": refused(api.SnapshotsFindById(ctx, id).Execute()),
	})
}

func nicOf(name string, lan int32) ionos.Nic {
	return ionos.Nic{Properties: &ionos.NicProperties{Name: &name, Lan: &lan, Dhcp: yes()}}
}

func nicChecks(dc, web string) {
	api := client.NetworkInterfacesApi
	life[ionos.Nic]{
		create: func() seen {
			return accepted(api.DatacentersServersNicsPost(ctx, dc, web).Nic(nicOf("second", 2)).Execute())
		},
		list: func() any {
			return read(api.DatacentersServersNicsGet(ctx, dc, web).Depth(1).Filter("name", "SECOND").Execute())
		},
		change: func(id string) seen {
			active := ionos.NicProperties{FirewallActive: yes()}
			return accepted(api.DatacentersServersNicsPatch(ctx, dc, web, id).Nic(active).Execute())
		},
		put: func(id string) seen {
			whole := ionos.NicPut{Properties: &ionos.NicProperties{Name: text("put"), Lan: number(2), Dhcp: no()}}
			return accepted(api.DatacentersServersNicsPut(ctx, dc, web, id).Nic(whole).Execute())
		},
		get: func(id string) (ionos.Nic, *ionos.APIResponse, error) {
			return api.DatacentersServersNicsFindById(ctx, dc, web, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersServersNicsDelete(ctx, dc, web, id).Execute()
		},
		inside: func(id string) {
			ruleChecks(dc, web, id)
			nicLogChecks(dc, web, id)
		},
	}.run("nic_life")
}

func ruleChecks(dc, web, nic string) {
	api := client.FirewallRulesApi
	life[ionos.FirewallRule]{
		create: func() seen {
			rule := ionos.FirewallRule{Properties: &ionos.FirewallruleProperties{
				Name: text("ssh"), Protocol: text("TCP"), PortRangeStart: number(22), PortRangeEnd: number(22),
			}}
			return accepted(api.DatacentersServersNicsFirewallrulesPost(ctx, dc, web, nic).Firewallrule(rule).Execute())
		},
		list: func() any {
			list := api.DatacentersServersNicsFirewallrulesGet(ctx, dc, web, nic)
			return read(list.Depth(1).Filter("name", "SSH").Execute())
		},
		change: func(id string) seen {
			patch := ionos.FirewallruleProperties{PortRangeEnd: number(23)}
			change := api.DatacentersServersNicsFirewallrulesPatch(ctx, dc, web, nic, id)
			return accepted(change.Firewallrule(patch).Execute())
		},
		put: func(id string) seen {
			whole := ionos.FirewallRule{Properties: &ionos.FirewallruleProperties{
				Name: text("any"), Protocol: text("TCP"), SourceIp: text("10.1.2.3"),
			}}
			put := api.DatacentersServersNicsFirewallrulesPut(ctx, dc, web, nic, id)
			return accepted(put.Firewallrule(whole).Execute())
		},
		get: func(id string) (ionos.FirewallRule, *ionos.APIResponse, error) {
			return api.DatacentersServersNicsFirewallrulesFindById(ctx, dc, web, nic, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersServersNicsFirewallrulesDelete(ctx, dc, web, nic, id).Execute()
		},
	}.run("firewallrule_life")
}

func flowLogOf(name string) *ionos.FlowLogProperties {
	return &ionos.FlowLogProperties{
		Name: &name, Action: text("ALL"), Direction: text("INGRESS"), Bucket: text(named("logs")),
	}
}

func nicLogChecks(dc, web, nic string) {
	api := client.FlowLogsApi
	life[ionos.FlowLog]{
		create: func() seen {
			log := ionos.FlowLog{Properties: flowLogOf("log")}
			return accepted(api.DatacentersServersNicsFlowlogsPost(ctx, dc, web, nic).Flowlog(log).Execute())
		},
		list: func() any {
			return read(api.DatacentersServersNicsFlowlogsGet(ctx, dc, web, nic).Depth(1).Filter("name", "LOG").Execute())
		},
		change: func(id string) seen {
			other := ionos.FlowLogProperties{Name: text("other")}
			return accepted(api.DatacentersServersNicsFlowlogsPatch(ctx, dc, web, nic, id).Flowlog(other).Execute())
		},
		put: func(id string) seen {
			whole := ionos.FlowLogPut{Properties: flowLogOf("put")}
			return accepted(api.DatacentersServersNicsFlowlogsPut(ctx, dc, web, nic, id).Flowlog(whole).Execute())
		},
		get: func(id string) (ionos.FlowLog, *ionos.APIResponse, error) {
			return api.DatacentersServersNicsFlowlogsFindById(ctx, dc, web, nic, id).Execute()
		},
		remove: func(id string) (*ionos.APIResponse, error) {
			return api.DatacentersServersNicsFlowlogsDelete(ctx, dc, web, nic, id).Execute()
		},
	}.run("flowlog_life")
}
