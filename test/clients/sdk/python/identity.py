"""Users, groups, members, shares and S3 keys; and the rights of a user who is not an administrator."""
import ionoscloud as sdk
from client import accepted, answered, client, connect, refused, report, tag, wire
from infrastructure import create_datacenter

management = sdk.UserManagementApi(client)
keys = sdk.UserS3KeysApi(client)

email = f'{tag}@example.com'
password = 'A-Password-Of-Tests-1'


def identity():
    user = user_checks()
    group = group_checks()
    shared = create_datacenter(f'{tag}-shared')['body']['id']
    member_checks(group, user)
    share_checks(group, shared)
    member_rights(shared)
    key_checks(user)
    remove(group, user, shared)


def user_checks():
    properties = sdk.UserPropertiesPost(
        firstname='Ada', lastname='Lovelace', email=email, password=password, administrator=False
    )
    created = accepted(management.um_users_post_with_http_info(sdk.UserPost(properties=properties)))
    id = created['body']['id']
    report('user_create', **created, after=wire(management.um_users_find_by_id(id, depth=1)))
    report('user_list', body=wire(management.um_users_get(depth=1, query_params={'filter.email': email})))
    properties = sdk.UserPropertiesPut(
        firstname='Augusta', lastname='Lovelace', email=email, administrator=False, force_sec_auth=False
    )
    changed = accepted(management.um_users_put_with_http_info(id, sdk.UserPut(properties=properties)))
    report('user_put', **changed, after=wire(management.um_users_find_by_id(id)))
    return id


def group_checks():
    properties = sdk.GroupProperties(name=f'{tag}-group', reserve_ip=True, access_activity_log=True)
    created = accepted(management.um_groups_post_with_http_info(sdk.Group(properties=properties)))
    id = created['body']['id']
    report('group_create', **created, after=wire(management.um_groups_find_by_id(id)))
    properties = sdk.GroupProperties(name=f'{tag}-group2', reserve_ip=True, s3_privilege=True)
    changed = accepted(management.um_groups_put_with_http_info(id, sdk.Group(properties=properties)))
    report('group_put', **changed, after=wire(management.um_groups_find_by_id(id)))
    return id


def member_checks(group, user):
    added = accepted(management.um_groups_users_post_with_http_info(group, sdk.UserGroupPost(id=user)))
    report(
        'member_add',
        **added,
        user=user,
        group=group,
        members=wire(management.um_groups_users_get(group, depth=1)),
        groups=wire(management.um_users_groups_get(user, depth=1)),
        person=wire(management.um_users_find_by_id(user, depth=1)),
    )


def share_checks(group, shared):
    share = sdk.GroupShare(properties=sdk.GroupShareProperties(edit_privilege=False, share_privilege=True))
    created = accepted(management.um_groups_shares_post_with_http_info(group, shared, share))
    after = wire(management.um_groups_shares_find_by_resource_id(group, shared))
    report('share_create', **created, after=after, shared=shared)
    share = sdk.GroupShare(properties=sdk.GroupShareProperties(edit_privilege=True, share_privilege=False))
    changed = accepted(management.um_groups_shares_put_with_http_info(group, shared, share))
    after = wire(management.um_groups_shares_find_by_resource_id(group, shared))
    report('share_put', **changed, after=after, shared=shared)
    report(
        'share_list',
        shared=shared,
        shares=wire(management.um_groups_shares_get(group, depth=1)),
        resources=wire(management.um_groups_resources_get(group, depth=1)),
        kind=wire(management.um_resources_find_by_type('datacenter', depth=1)),
        one=wire(management.um_resources_find_by_type_and_id('datacenter', shared)),
    )


def member_rights(shared):
    theirs = connect(username=email, password=password)
    datacenters = sdk.DataCentersApi(theirs)
    seen = wire(datacenters.datacenters_get(depth=1))
    patch = sdk.DatacenterProperties(description='by a member')
    report('member_basic', seen=seen, **accepted(datacenters.datacenters_patch_with_http_info(shared, patch), theirs))
    properties = sdk.DatacenterProperties(name=f'{tag}-forbidden', location='de/txl')
    datacenter = sdk.Datacenter(properties=properties)
    report(
        'error_forbidden',
        create=refused(datacenters.datacenters_post, datacenter),
        manage=refused(sdk.UserManagementApi(theirs).um_groups_post, sdk.Group(properties=sdk.GroupProperties(name="mine"))),
    )


def key_checks(user):
    created = accepted(keys.um_users_s3keys_post_with_http_info(user))
    id = created['body']['id']
    report(
        's3key_create',
        **created,
        after=wire(keys.um_users_s3keys_find_by_key_id(user, id)),
        all=wire(keys.um_users_s3keys_get(user, depth=1)),
    )
    off = sdk.S3Key(properties=sdk.S3KeyProperties(active=False))
    changed = accepted(keys.um_users_s3keys_put_with_http_info(user, id, off))
    report('s3key_put', **changed, after=wire(keys.um_users_s3keys_find_by_key_id(user, id)))
    deleted = answered(keys.um_users_s3keys_delete_with_http_info(user, id))
    report('s3key_delete', **deleted, gone=refused(keys.um_users_s3keys_find_by_key_id, user, id))


def remove(group, user, shared):
    deleted = accepted(management.um_groups_shares_delete_with_http_info(group, shared))
    report(
        'share_delete', **deleted, gone=refused(management.um_groups_shares_find_by_resource_id, group, shared)
    )
    deleted = accepted(management.um_groups_users_delete_with_http_info(group, user))
    report('member_remove', **deleted, members=wire(management.um_groups_users_get(group)))
    deleted = accepted(management.um_groups_delete_with_http_info(group))
    report('group_delete', **deleted, gone=refused(management.um_groups_find_by_id, group))
    deleted = accepted(management.um_users_delete_with_http_info(user))
    report('user_delete', **deleted, gone=refused(management.um_users_find_by_id, user))
