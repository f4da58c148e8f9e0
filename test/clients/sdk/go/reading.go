package main

import ionos "github.com/ionos-cloud/sdk-go/v6"

const nobody = "01234567-89ab-7cde-8f01-23456789abcd"

func reading() {
	locations := client.LocationsApi
	report("location_list", seen{
		"references": read(locations.LocationsGet(ctx).Depth(0).Execute()),
		"full":       read(locations.LocationsGet(ctx).Depth(1).Execute()),
		"region":     read(locations.LocationsFindByRegionId(ctx, "us").Depth(1).Execute()),
	})
	report("location_get", seen{
		"plain":   read(locations.LocationsFindByRegionIdAndId(ctx, "de", "txl").Execute()),
		"slashed": read(locations.LocationsFindByRegionIdAndId(ctx, "de", "fra/2").Execute()),
		"gone":    refused(locations.LocationsFindByRegionIdAndId(ctx, "de", "xyz").Execute()),
	})
	report("contract_list", seen{"body": read(client.ContractResourcesApi.ContractsGet(ctx).Depth(0).Execute())})
}

func mistakes() {
	datacenters, lans := client.DataCentersApi, client.LANsApi
	stranger := connect("", "", "no.real.token")
	report("error_unauthorized", refused(stranger.DataCentersApi.DatacentersGet(ctx).Execute()))
	patch := ionos.DatacenterPropertiesPut{Name: text("x")}
	lan := ionos.Lan{Properties: &ionos.LanProperties{}}
	report("error_missing", seen{
		"unknown": refused(datacenters.DatacentersFindById(ctx, nobody).Execute()),
		"change":  refused(datacenters.DatacentersPatch(ctx, nobody).Datacenter(patch).Execute()),
		"parent":  refused(lans.DatacentersLansPost(ctx, nobody).Lan(lan).Execute()),
	})
	mistaken := ionos.DatacenterPropertiesPost{Name: text(""), Location: text("xx/yyy")}
	post := ionos.DatacenterPost{Properties: &mistaken}
	report("error_unacceptable", refused(datacenters.DatacentersPost(ctx).Datacenter(post).Execute()))
	report("error_limit", refused(client.IPBlocksApi.IpblocksPost(ctx).Ipblock(blockOf("huge", 4000)).Execute()))
	_, dc := createDatacenter(named("fixed"))
	moved := ionos.DatacenterPut{
		Properties: &ionos.DatacenterPropertiesPut{Name: text("x"), Location: text("de/fra")},
	}
	report("error_immutable", refused(datacenters.DatacentersPut(ctx, dc).Datacenter(moved).Execute()))
}

// The lab lets the next IP block fail and the next datacenter hang.
func broken() {
	datacenters, blocks := client.DataCentersApi, client.IPBlocksApi
	block, response, err := blocks.IpblocksPost(ctx).Ipblock(blockOf(named("failing"), 1)).Execute()
	must(err)
	_, failure := client.WaitForRequest(ctx, response.Header.Get("Location"))
	if failure == nil {
		panic("the request did not fail")
	}
	report("request_failed", seen{
		"status":  response.StatusCode,
		"message": failure.Error(),
		"gone":    refused(blocks.IpblocksFindById(ctx, *block.Id).Execute()),
	})
	properties := ionos.DatacenterPropertiesPost{Name: text(named("slow")), Location: text("de/txl")}
	slow := ionos.DatacenterPost{Properties: &properties}
	dc := *read(datacenters.DatacentersPost(ctx).Datacenter(slow).Execute()).Id
	lan := ionos.Lan{Properties: &ionos.LanProperties{}}
	patch := ionos.DatacenterPropertiesPut{Name: text("x")}
	report("parent_busy", seen{
		"parent": getDatacenter(dc, 0),
		"create": refused(client.LANsApi.DatacentersLansPost(ctx, dc).Lan(lan).Execute()),
		"change": refused(datacenters.DatacentersPatch(ctx, dc).Datacenter(patch).Execute()),
	})
}
