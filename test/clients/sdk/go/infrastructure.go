package main

import (
	"strings"

	ionos "github.com/ionos-cloud/sdk-go/v6"
)

func createDatacenter(name string) (seen, string) {
	properties := ionos.DatacenterPropertiesPost{
		Name: text(name), Description: text("made by a test"), Location: text("de/txl"),
	}
	created, response, err := client.DataCentersApi.DatacentersPost(ctx).
		Datacenter(ionos.DatacenterPost{Properties: &properties}).Execute()
	return accepted(created, response, err), *created.Id
}

func getDatacenter(id string, depth int32) ionos.Datacenter {
	return read(client.DataCentersApi.DatacentersFindById(ctx, id).Depth(depth).Execute())
}

func infrastructure() {
	created, dc := createDatacenter(named("a"))
	report("datacenter_create", created, seen{"after": getDatacenter(dc, 0)})
	createDatacenter(named("b"))
	createDatacenter(named("c"))
	requestChecks(created["location"].(string))
	lanChecks(dc)
	datacenterReads(dc)
	labelChecks(dc)
	datacenterChanges(dc)
	datacenterEnd(dc)
	composite()
}

func composite() {
	lan := func(name string) ionos.Lan {
		return ionos.Lan{Properties: &ionos.LanProperties{Name: &name, Public: yes()}}
	}
	whole := ionos.DatacenterPost{
		Properties: &ionos.DatacenterPropertiesPost{Name: text(named("composite")), Location: text("de/txl")},
		Entities:   &ionos.DataCenterEntities{Lans: &ionos.Lans{Items: &[]ionos.Lan{lan("first"), lan("second")}}},
	}
	created, response, err := client.DataCentersApi.DatacentersPost(ctx).Datacenter(whole).Execute()
	report("datacenter_composite", accepted(created, response, err), seen{"after": getDatacenter(*created.Id, 2)})
}

func requestChecks(location string) {
	api := client.RequestsApi
	id := strings.Split(strings.TrimSuffix(location, "/status"), "/requests/")[1]
	report("request_list", seen{
		"plain": read(api.RequestsGet(ctx).Depth(0).Limit(2).Execute()),
		"filtered": read(api.RequestsGet(ctx).Depth(2).
			FilterMethod("post").FilterUrl("DATACENTERS").FilterRequestStatus("DONE").Execute()),
	})
	report("request_get", seen{
		"id":    id,
		"body":  read(api.RequestsFindById(ctx, id).Depth(2).Execute()),
		"ended": read(api.RequestsStatusGet(ctx, id).Execute()),
	})
}

func lanChecks(dc string) {
	api := client.LANsApi
	get := func(id string) seen { return seen{"after": read(api.DatacentersLansFindById(ctx, dc, id).Execute())} }
	create := func(name string, public *bool) (seen, string) {
		properties := ionos.LanProperties{Name: &name, Public: public}
		lan, response, err := api.DatacentersLansPost(ctx, dc).Lan(ionos.Lan{Properties: &properties}).Execute()
		return accepted(lan, response, err), *lan.Id
	}
	inside, id := create("inside", no())
	report("lan_create", inside, get(id))
	outside, id := create("outside", yes())
	report("lan_public", outside, get(id))
	report("lan_list", seen{
		"references": read(api.DatacentersLansGet(ctx, dc).Depth(0).Execute()),
		"filtered":   read(api.DatacentersLansGet(ctx, dc).Depth(1).Filter("name", "OUT").Execute()),
	})
	patch := ionos.LanProperties{Name: text("renamed")}
	report("lan_patch", accepted(api.DatacentersLansPatch(ctx, dc, id).Lan(patch).Execute()), get(id))
	whole := ionos.Lan{Properties: &ionos.LanProperties{Name: text("put"), Public: no()}}
	report("lan_put", accepted(api.DatacentersLansPut(ctx, dc, id).Lan(whole).Execute()), get(id))
}

func datacenterReads(dc string) {
	list := client.DataCentersApi.DatacentersGet
	items := []ionos.Datacenter{}
	for depth := range int32(4) {
		items = append(items, getDatacenter(dc, depth))
	}
	report("datacenter_depth", seen{"items": items})
	ours := strings.ToUpper(settings.Tag)
	report("datacenter_list", seen{
		"references": read(list(ctx).Depth(0).Filter("name", ours).Execute()),
		"full":       read(list(ctx).Depth(1).Filter("name", ours).Execute()),
		"none":       read(list(ctx).Depth(1).Filter("name", named("none")).Execute()),
	})
	page := func(offset int32) ionos.Datacenters {
		return read(list(ctx).Depth(1).Offset(offset).Limit(2).OrderBy("name").Filter("name", ours).Execute())
	}
	report("datacenter_page", seen{"first": page(0), "second": page(2)})
}

func labelOf(key, value string) ionos.LabelResource {
	return ionos.LabelResource{Properties: &ionos.LabelResourceProperties{Key: &key, Value: &value}}
}

func labelChecks(dc string) {
	api := client.LabelsApi
	created := answered(api.DatacentersLabelsPost(ctx, dc).Label(labelOf("stage", settings.Tag)).Execute())
	report("label_create", created)
	report("label_list", seen{"body": read(api.DatacentersLabelsGet(ctx, dc).Depth(1).Execute())})
	everywhere := read(api.LabelsGet(ctx).Depth(1).Filter("value", settings.Tag).Execute())
	one := read(api.LabelsFindByUrn(ctx, *(*everywhere.Items)[0].Id).Execute())
	report("label_all", seen{"dc": dc, "everywhere": everywhere, "one": one})
	changed := answered(api.DatacentersLabelsPut(ctx, dc, "stage").Label(labelOf("stage", "live")).Execute())
	report("label_put", changed, seen{"after": read(api.DatacentersLabelsFindByKey(ctx, dc, "stage").Execute())})
	response, err := api.DatacentersLabelsDelete(ctx, dc, "stage").Execute()
	must(err)
	gone := refused(api.DatacentersLabelsFindByKey(ctx, dc, "stage").Execute())
	report("label_delete", seen{"status": response.StatusCode, "gone": gone})
}

func datacenterChanges(dc string) {
	api := client.DataCentersApi
	patch := ionos.DatacenterPropertiesPut{Description: text("changed")}
	changed := accepted(api.DatacentersPatch(ctx, dc).Datacenter(patch).Execute())
	report("datacenter_patch", changed, seen{"after": getDatacenter(dc, 0)})
	properties := ionos.DatacenterPropertiesPut{
		Name: text(named("a2")), Location: text("de/txl"), SecAuthProtection: yes(),
	}
	changed = accepted(api.DatacentersPut(ctx, dc).Datacenter(ionos.DatacenterPut{Properties: &properties}).Execute())
	report("datacenter_put", changed, seen{"after": getDatacenter(dc, 0)})
}

func datacenterEnd(dc string) {
	lans, datacenters := client.LANsApi, client.DataCentersApi
	ended := deleted(lans.DatacentersLansDelete(ctx, dc, "2").Execute())
	report("lan_delete", ended, seen{"gone": refused(lans.DatacentersLansFindById(ctx, dc, "2").Execute())})
	ended = deleted(datacenters.DatacentersDelete(ctx, dc).Execute())
	report("datacenter_delete", ended, seen{
		"gone":  refused(datacenters.DatacentersFindById(ctx, dc).Execute()),
		"below": refused(lans.DatacentersLansFindById(ctx, dc, "1").Execute()),
	})
}

func blockOf(name string, size int32) ionos.IpBlock {
	return ionos.IpBlock{Properties: &ionos.IpBlockProperties{Name: &name, Location: text("de/fra"), Size: &size}}
}

func addresses() {
	api, labels := client.IPBlocksApi, client.LabelsApi
	block, response, err := api.IpblocksPost(ctx).Ipblock(blockOf(named("block"), 2)).Execute()
	created, id := accepted(block, response, err), *block.Id
	get := func() seen { return seen{"after": read(api.IpblocksFindById(ctx, id).Execute())} }
	report("ipblock_create", created, get())
	report("ipblock_list", seen{
		"body": read(api.IpblocksGet(ctx).Depth(1).Filter("name", settings.Tag).Filter("location", "de/fra").Execute()),
	})
	labelled := answered(labels.IpblocksLabelsPost(ctx, id).Label(labelOf("use", "web")).Execute())
	report("ipblock_label", labelled, seen{"all": read(labels.IpblocksLabelsGet(ctx, id).Depth(1).Execute())})
	patch := ionos.IpBlockProperties{Name: text(named("patched"))}
	report("ipblock_patch", accepted(api.IpblocksPatch(ctx, id).Ipblock(patch).Execute()), get())
	report("ipblock_put", accepted(api.IpblocksPut(ctx, id).Ipblock(blockOf(named("put"), 2)).Execute()), get())
	ended := deleted(api.IpblocksDelete(ctx, id).Execute())
	report("ipblock_delete", ended, seen{"gone": refused(api.IpblocksFindById(ctx, id).Execute())})
}
