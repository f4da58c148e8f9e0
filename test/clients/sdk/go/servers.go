package main

import ionos "github.com/ionos-cloud/sdk-go/v6"

// As in a file, with the end of its line.
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK5n8TScrJLYYt9RspypbYVVjAvQbbXmvnmxQvKMDhlR test@example.com\n"

func oneImage(alias, kind string) ionos.Images {
	return read(client.ImagesApi.ImagesGet(ctx).Depth(1).
		Filter("imageAliases", alias).Filter("imageType", kind).Filter("location", "de/txl").Execute())
}

func oneTemplate(name string) ionos.Templates {
	return read(client.TemplatesApi.TemplatesGet(ctx).Depth(1).Filter("name", name).Execute())
}

func servers() {
	_, dc := createDatacenter(named("servers"))
	report("image_list", seen{
		"found": oneImage("debian:latest", "HDD"),
		"none":  oneImage("debian:latest", "UNKNOWN"),
	})
	report("template_list", seen{"found": oneTemplate("Basic Cube XS")})
	web := serverComposite(dc)
	cube := serverKinds(dc)
	serverLists(dc, cube)
	serverChanges(dc, web)
	serverPower(dc, web, cube)
	volumeChecks(dc, web)
	cdromChecks(dc, web)
	snapshotChecks(dc, web)
	nicChecks(dc, web)
	serverLabels(dc, web)
	serverEnd(dc, web, cube)
}

func createServer(dc string, server ionos.Server) seen {
	return accepted(client.ServersApi.DatacentersServersPost(ctx, dc).Server(server).Execute())
}

func getServer(dc, id string, depth int32) ionos.Server {
	return read(client.ServersApi.DatacentersServersFindById(ctx, dc, id).Depth(depth).Execute())
}

func withVolume(volume ionos.VolumeProperties) *ionos.AttachedVolumes {
	return &ionos.AttachedVolumes{Items: &[]ionos.Volume{{Properties: &volume}}}
}

func serverComposite(dc string) string {
	rule := ionos.FirewallruleProperties{
		Name: text("http"), Protocol: text("TCP"), PortRangeStart: number(80), PortRangeEnd: number(80),
	}
	nic := ionos.Nic{
		Properties: &ionos.NicProperties{Name: text("first"), Lan: number(1), Dhcp: yes(), FirewallActive: yes()},
		Entities: &ionos.NicEntities{
			Firewallrules: &ionos.FirewallRules{Items: &[]ionos.FirewallRule{{Properties: &rule}}},
		},
	}
	created := createServer(dc, ionos.Server{
		Properties: &ionos.ServerProperties{
			Name: text("web"), Cores: number(2), Ram: number(2048), AvailabilityZone: text("ZONE_1"),
		},
		Entities: &ionos.ServerEntities{
			Volumes: withVolume(ionos.VolumeProperties{
				Name: text("system"), Size: size(10), Type: text("HDD"),
				ImageAlias: text("ubuntu:latest"), ImagePassword: text("APasswordOfTests1"), SshKeys: &[]string{key},
			}),
			Nics: &ionos.Nics{Items: &[]ionos.Nic{nic}},
		},
	})
	id := idOf(created["body"])
	report("server_composite", created, seen{"after": getServer(dc, id, 4)})
	return id
}

func serverKinds(dc string) string {
	shared := idOf(createServer(dc, ionos.Server{Properties: &ionos.ServerProperties{
		Name: text("shared"), Type: text("VCPU"), Cores: number(1), Ram: number(1024),
	}})["body"])
	template := (*oneTemplate("Basic Cube XS").Items)[0].Id
	cube := idOf(createServer(dc, ionos.Server{
		Properties: &ionos.ServerProperties{Name: text("cube"), Type: text("CUBE"), TemplateUuid: template},
		Entities: &ionos.ServerEntities{Volumes: withVolume(ionos.VolumeProperties{
			Name: text("das"), Type: text("DAS"),
			ImageAlias: text("debian:latest"), ImagePassword: text("APasswordOfTests1"),
		})},
	})["body"])
	report("server_kinds", seen{"shared": getServer(dc, shared, 0), "cube": getServer(dc, cube, 2)})
	return cube
}

func serverLists(dc, cube string) {
	list := func(depth int32) ionos.ApiDatacentersServersGetRequest {
		return client.ServersApi.DatacentersServersGet(ctx, dc).Depth(depth)
	}
	report("server_list", seen{
		"cube":       cube,
		"references": read(list(0).Execute()),
		"cubes":      read(list(1).Filter("type", "cube").Execute()),
		"deep":       read(list(3).Filter("name", "WEB").Execute()),
	})
}

func serverChanges(dc, web string) {
	api := client.ServersApi
	patch := ionos.ServerProperties{Cores: number(3), Ram: number(3072)}
	patched := accepted(api.DatacentersServersPatch(ctx, dc, web).Server(patch).Execute())
	report("server_patch", patched, seen{"after": getServer(dc, web, 0)})
	whole := ionos.Server{Properties: &ionos.ServerProperties{
		Name: text("site"), Cores: number(4), Ram: number(4096), AvailabilityZone: text("ZONE_1"),
	}}
	put := accepted(api.DatacentersServersPut(ctx, dc, web).Server(whole).Execute())
	report("server_put", put, seen{"after": getServer(dc, web, 0)})
}

func serverPower(dc, web, cube string) {
	api := client.ServersApi
	acts := []seen{}
	done := func(act, id string, answer seen) {
		state := *getServer(dc, id, 0).Properties.VmState
		acts = append(acts, seen{"act": act, "status": answer["status"], "vmState": state})
	}
	done("stop", web, deleted(api.DatacentersServersStopPost(ctx, dc, web).Execute()))
	done("start", web, deleted(api.DatacentersServersStartPost(ctx, dc, web).Execute()))
	done("reboot", web, deleted(api.DatacentersServersRebootPost(ctx, dc, web).Execute()))
	done("suspend", cube, deleted(api.DatacentersServersSuspendPost(ctx, dc, cube).Execute()))
	done("resume", cube, deleted(api.DatacentersServersResumePost(ctx, dc, cube).Execute()))
	report("server_power", seen{"acts": acts})
	report("server_console", seen{
		"console": read(api.DatacentersServersRemoteConsoleGet(ctx, dc, web).Execute()),
		"token":   read(api.DatacentersServersTokenGet(ctx, dc, web).Execute()),
	})
}

func serverLabels(dc, web string) {
	api := client.LabelsApi
	created := answered(api.DatacentersServersLabelsPost(ctx, dc, web).Label(labelOf("stage", "test")).Execute())
	changed := answered(
		api.DatacentersServersLabelsPut(ctx, dc, web, "stage").Label(labelOf("stage", "live")).Execute())
	list := read(api.DatacentersServersLabelsGet(ctx, dc, web).Depth(1).Execute())
	response, err := api.DatacentersServersLabelsDelete(ctx, dc, web, "stage").Execute()
	must(err)
	report("server_label", seen{
		"created": created,
		"changed": changed,
		"seen":    list,
		"ended":   seen{"status": response.StatusCode},
		"gone":    refused(api.DatacentersServersLabelsFindByKey(ctx, dc, web, "stage").Execute()),
	})
}

func firstVolume(dc, server string) string {
	return *(*read(client.ServersApi.DatacentersServersVolumesGet(ctx, dc, server).Execute()).Items)[0].Id
}

func serverEnd(dc, web, cube string) {
	api, volumes := client.ServersApi, client.VolumesApi
	das, system := firstVolume(dc, cube), firstVolume(dc, web)
	response, err := volumes.DatacentersVolumesDelete(ctx, dc, das).Execute()
	kept := refused[any](nil, response, err)
	deleted(api.DatacentersServersDelete(ctx, dc, cube).Execute())
	ended := deleted(api.DatacentersServersDelete(ctx, dc, web).DeleteVolumes(true).Execute())
	report("server_delete", ended, seen{
		"gone": refused(api.DatacentersServersFindById(ctx, dc, web).Execute()),
		"das":  kept,
		"volumes": []seen{
			refused(volumes.DatacentersVolumesFindById(ctx, dc, das).Execute()),
			refused(volumes.DatacentersVolumesFindById(ctx, dc, system).Execute()),
		},
	})
}
