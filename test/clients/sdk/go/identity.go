package main

import ionos "github.com/ionos-cloud/sdk-go/v6"

const password = "A-Password-Of-Tests-1"

func email() string { return settings.Tag + "@example.com" }

func identity() {
	user := userChecks()
	group := groupChecks()
	_, shared := createDatacenter(named("shared"))
	memberChecks(group, user)
	shareChecks(group, shared)
	memberRights(shared)
	keyChecks(user)
	identityEnd(group, user, shared)
}

func getUser(id string) ionos.User {
	return read(client.UserManagementApi.UmUsersFindById(ctx, id).Depth(1).Execute())
}

func userChecks() string {
	api := client.UserManagementApi
	properties := ionos.UserPropertiesPost{
		Firstname: text("Ada"), Lastname: text("Lovelace"), Email: text(email()), Password: text(password),
		Administrator: no(),
	}
	user, response, err := api.UmUsersPost(ctx).User(ionos.UserPost{Properties: &properties}).Execute()
	created, id := accepted(user, response, err), *user.Id
	report("user_create", created, seen{"after": getUser(id)})
	report("user_list", seen{"body": read(api.UmUsersGet(ctx).Depth(1).Filter("email", email()).Execute())})
	put := ionos.UserPropertiesPut{
		Firstname: text("Augusta"), Lastname: text("Lovelace"), Email: text(email()),
		Administrator: no(), ForceSecAuth: no(),
	}
	changed := accepted(api.UmUsersPut(ctx, id).User(ionos.UserPut{Properties: &put}).Execute())
	report("user_put", changed, seen{"after": getUser(id)})
	return id
}

func groupChecks() string {
	api := client.UserManagementApi
	properties := ionos.GroupProperties{Name: text(named("group")), ReserveIp: yes(), AccessActivityLog: yes()}
	group, response, err := api.UmGroupsPost(ctx).Group(ionos.Group{Properties: &properties}).Execute()
	created, id := accepted(group, response, err), *group.Id
	get := func() seen { return seen{"after": read(api.UmGroupsFindById(ctx, id).Execute())} }
	report("group_create", created, get())
	properties = ionos.GroupProperties{Name: text(named("group2")), ReserveIp: yes(), S3Privilege: yes()}
	report("group_put", accepted(api.UmGroupsPut(ctx, id).Group(ionos.Group{Properties: &properties}).Execute()), get())
	return id
}

func memberChecks(group, user string) {
	api := client.UserManagementApi
	added := accepted(api.UmGroupsUsersPost(ctx, group).User(ionos.UserGroupPost{Id: &user}).Execute())
	report("member_add", added, seen{
		"user":    user,
		"group":   group,
		"members": read(api.UmGroupsUsersGet(ctx, group).Depth(1).Execute()),
		"groups":  read(api.UmUsersGroupsGet(ctx, user).Depth(1).Execute()),
		"person":  getUser(user),
	})
}

func shareOf(edit, share *bool) ionos.GroupShare {
	return ionos.GroupShare{Properties: &ionos.GroupShareProperties{EditPrivilege: edit, SharePrivilege: share}}
}

func shareChecks(group, shared string) {
	api := client.UserManagementApi
	get := func() seen {
		after := read(api.UmGroupsSharesFindByResourceId(ctx, group, shared).Execute())
		return seen{"after": after, "shared": shared}
	}
	created := accepted(api.UmGroupsSharesPost(ctx, group, shared).Resource(shareOf(no(), yes())).Execute())
	report("share_create", created, get())
	changed := accepted(api.UmGroupsSharesPut(ctx, group, shared).Resource(shareOf(yes(), no())).Execute())
	report("share_put", changed, get())
	report("share_list", seen{
		"shared":    shared,
		"shares":    read(api.UmGroupsSharesGet(ctx, group).Depth(1).Execute()),
		"resources": read(api.UmGroupsResourcesGet(ctx, group).Depth(1).Execute()),
		"kind":      read(api.UmResourcesFindByType(ctx, "datacenter").Depth(1).Execute()),
		"one":       read(api.UmResourcesFindByTypeAndId(ctx, "datacenter", shared).Execute()),
	})
}

func memberRights(shared string) {
	theirs := connect(email(), password, "")
	seenByThem := read(theirs.DataCentersApi.DatacentersGet(ctx).Depth(1).Execute())
	patch := ionos.DatacenterPropertiesPut{Description: text("by a member")}
	changed := accepted(theirs.DataCentersApi.DatacentersPatch(ctx, shared).Datacenter(patch).Execute())
	report("member_basic", changed, seen{"seen": seenByThem})
	properties := ionos.DatacenterPropertiesPost{Name: text(named("forbidden")), Location: text("de/txl")}
	datacenter := ionos.DatacenterPost{Properties: &properties}
	group := ionos.Group{Properties: &ionos.GroupProperties{Name: text("mine")}}
	report("error_forbidden", seen{
		"create": refused(theirs.DataCentersApi.DatacentersPost(ctx).Datacenter(datacenter).Execute()),
		"manage": refused(theirs.UserManagementApi.UmGroupsPost(ctx).Group(group).Execute()),
	})
}

func keyChecks(user string) {
	api := client.UserS3KeysApi
	key, response, err := api.UmUsersS3keysPost(ctx, user).Execute()
	created, id := accepted(key, response, err), *key.Id
	get := func() seen { return seen{"after": read(api.UmUsersS3keysFindByKeyId(ctx, user, id).Execute())} }
	report("s3key_create", created, get(), seen{"all": read(api.UmUsersS3keysGet(ctx, user).Depth(1).Execute())})
	off := ionos.S3Key{Properties: &ionos.S3KeyProperties{Active: no()}}
	report("s3key_put", accepted(api.UmUsersS3keysPut(ctx, user, id).S3Key(off).Execute()), get())
	ended := deleted(api.UmUsersS3keysDelete(ctx, user, id).Execute())
	report("s3key_delete", ended, seen{"gone": refused(api.UmUsersS3keysFindByKeyId(ctx, user, id).Execute())})
}

func identityEnd(group, user, shared string) {
	api := client.UserManagementApi
	ended := deleted(api.UmGroupsSharesDelete(ctx, group, shared).Execute())
	gone := refused(api.UmGroupsSharesFindByResourceId(ctx, group, shared).Execute())
	report("share_delete", ended, seen{"gone": gone})
	ended = deleted(api.UmGroupsUsersDelete(ctx, group, user).Execute())
	report("member_remove", ended, seen{"members": read(api.UmGroupsUsersGet(ctx, group).Execute())})
	ended = deleted(api.UmGroupsDelete(ctx, group).Execute())
	report("group_delete", ended, seen{"gone": refused(api.UmGroupsFindById(ctx, group).Execute())})
	ended = deleted(api.UmUsersDelete(ctx, user).Execute())
	report("user_delete", ended, seen{"gone": refused(api.UmUsersFindById(ctx, user).Execute())})
}
