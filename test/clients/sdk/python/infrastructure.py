"""Datacenters, LANs, labels, IP blocks and their requests."""
import ionoscloud as sdk
from client import accepted, answered, client, refused, report, tag, wire

datacenters = sdk.DataCentersApi(client)
lans = sdk.LANsApi(client)
labels = sdk.LabelsApi(client)
blocks = sdk.IPBlocksApi(client)
requests = sdk.RequestsApi(client)


def create_datacenter(name):
    properties = sdk.DatacenterProperties(name=name, description='made by a test', location='de/txl')
    return accepted(datacenters.datacenters_post_with_http_info(sdk.Datacenter(properties=properties)))


def infrastructure():
    created = create_datacenter(f'{tag}-a')
    dc = created['body']['id']
    report('datacenter_create', **created, after=wire(datacenters.datacenters_find_by_id(dc)))
    for letter in 'bc':
        create_datacenter(f'{tag}-{letter}')
    request_checks(created['location'])
    lan_checks(dc)
    reads(dc)
    label_checks(dc)
    changes(dc)
    remove(dc)
    composite()


def composite():
    lans = [sdk.Lan(properties=sdk.LanProperties(name=name, public=True)) for name in ('first', 'second')]
    properties = sdk.DatacenterProperties(name=f'{tag}-composite', location='de/txl')
    whole = sdk.Datacenter(properties=properties, entities=sdk.DataCenterEntities(lans=sdk.Lans(items=lans)))
    created = accepted(datacenters.datacenters_post_with_http_info(whole))
    after = wire(datacenters.datacenters_find_by_id(created['body']['id'], depth=2))
    report('datacenter_composite', **created, after=after)


def request_checks(location):
    id = location.split('/')[-2]
    filters = {'filter.method': 'post', 'filter.url': 'DATACENTERS', 'filter.requestStatus': 'DONE'}
    report(
        'request_list',
        plain=wire(requests.requests_get(depth=0, limit=2)),
        filtered=wire(requests.requests_get(depth=2, query_params=filters)),
    )
    report(
        'request_get',
        id=id,
        body=wire(requests.requests_find_by_id(id, depth=2)),
        ended=wire(requests.requests_status_get(id)),
    )


def lan_checks(dc):
    inside = sdk.LanProperties(name='inside', public=False)
    outside = sdk.LanProperties(name='outside', public=True)
    created = accepted(lans.datacenters_lans_post_with_http_info(dc, sdk.Lan(properties=inside)))
    report('lan_create', **created, after=wire(lans.datacenters_lans_find_by_id(dc, created['body']['id'])))
    created = accepted(lans.datacenters_lans_post_with_http_info(dc, sdk.Lan(properties=outside)))
    id = created['body']['id']
    report('lan_public', **created, after=wire(lans.datacenters_lans_find_by_id(dc, id)))
    report(
        'lan_list',
        references=wire(lans.datacenters_lans_get(dc, depth=0)),
        filtered=wire(lans.datacenters_lans_get(dc, depth=1, query_params={'filter.name': 'OUT'})),
    )
    changed = accepted(lans.datacenters_lans_patch_with_http_info(dc, id, sdk.LanProperties(name='renamed')))
    report('lan_patch', **changed, after=wire(lans.datacenters_lans_find_by_id(dc, id)))
    whole = sdk.Lan(properties=sdk.LanProperties(name='put', public=False))
    changed = accepted(lans.datacenters_lans_put_with_http_info(dc, id, whole))
    report('lan_put', **changed, after=wire(lans.datacenters_lans_find_by_id(dc, id)))


def reads(dc):
    report('datacenter_depth', items=[wire(datacenters.datacenters_find_by_id(dc, depth=d)) for d in range(4)])
    ours = {'filter.name': tag.upper()}
    report(
        'datacenter_list',
        references=wire(datacenters.datacenters_get(depth=0, query_params=ours)),
        full=wire(datacenters.datacenters_get(depth=1, query_params=ours)),
        none=wire(datacenters.datacenters_get(depth=1, query_params={'filter.name': f'{tag}-none'})),
    )
    sorted_ours = {**ours, 'orderBy': 'name'}
    report(
        'datacenter_page',
        first=wire(datacenters.datacenters_get(depth=1, offset=0, limit=2, query_params=sorted_ours)),
        second=wire(datacenters.datacenters_get(depth=1, offset=2, limit=2, query_params=sorted_ours)),
    )


def label_checks(dc):
    label = sdk.LabelResource(properties=sdk.LabelResourceProperties(key='stage', value=tag))
    report('label_create', **answered(labels.datacenters_labels_post_with_http_info(dc, label)))
    report('label_list', body=wire(labels.datacenters_labels_get(dc, depth=1)))
    everywhere = wire(labels.labels_get(depth=1, query_params={'filter.value': tag}))
    urn = everywhere['items'][0]['id']
    report('label_all', dc=dc, everywhere=everywhere, one=wire(labels.labels_find_by_urn(urn)))
    changed = sdk.LabelResource(properties=sdk.LabelResourceProperties(key='stage', value='live'))
    report(
        'label_put',
        **answered(labels.datacenters_labels_put_with_http_info(dc, 'stage', changed)),
        after=wire(labels.datacenters_labels_find_by_key(dc, 'stage')),
    )
    status = labels.datacenters_labels_delete_with_http_info(dc, 'stage')[1]
    report('label_delete', status=status, gone=refused(labels.datacenters_labels_find_by_key, dc, 'stage'))


def changes(dc):
    patch = sdk.DatacenterProperties(description='changed')
    changed = accepted(datacenters.datacenters_patch_with_http_info(dc, patch))
    report('datacenter_patch', **changed, after=wire(datacenters.datacenters_find_by_id(dc)))
    properties = sdk.DatacenterProperties(name=f'{tag}-a2', location='de/txl', sec_auth_protection=True)
    changed = accepted(datacenters.datacenters_put_with_http_info(dc, sdk.DatacenterPut(properties=properties)))
    report('datacenter_put', **changed, after=wire(datacenters.datacenters_find_by_id(dc)))


def remove(dc):
    deleted = accepted(lans.datacenters_lans_delete_with_http_info(dc, '2'))
    report('lan_delete', **deleted, gone=refused(lans.datacenters_lans_find_by_id, dc, '2'))
    deleted = accepted(datacenters.datacenters_delete_with_http_info(dc))
    report(
        'datacenter_delete',
        **deleted,
        gone=refused(datacenters.datacenters_find_by_id, dc),
        below=refused(lans.datacenters_lans_find_by_id, dc, '1'),
    )


def addresses():
    properties = sdk.IpBlockProperties(location='de/fra', size=2, name=f'{tag}-block')
    created = accepted(blocks.ipblocks_post_with_http_info(sdk.IpBlock(properties=properties)))
    id = created['body']['id']
    report('ipblock_create', **created, after=wire(blocks.ipblocks_find_by_id(id)))
    filters = {'filter.name': tag, 'filter.location': 'de/fra'}
    report('ipblock_list', body=wire(blocks.ipblocks_get(depth=1, query_params=filters)))
    label = sdk.LabelResource(properties=sdk.LabelResourceProperties(key='use', value='web'))
    report(
        'ipblock_label',
        **answered(labels.ipblocks_labels_post_with_http_info(id, label)),
        all=wire(labels.ipblocks_labels_get(id, depth=1)),
    )
    changed = accepted(blocks.ipblocks_patch_with_http_info(id, sdk.IpBlockProperties(name=f'{tag}-patched')))
    report('ipblock_patch', **changed, after=wire(blocks.ipblocks_find_by_id(id)))
    properties = sdk.IpBlockProperties(location='de/fra', size=2, name=f'{tag}-put')
    changed = accepted(blocks.ipblocks_put_with_http_info(id, sdk.IpBlock(properties=properties)))
    report('ipblock_put', **changed, after=wire(blocks.ipblocks_find_by_id(id)))
    deleted = accepted(blocks.ipblocks_delete_with_http_info(id))
    report('ipblock_delete', **deleted, gone=refused(blocks.ipblocks_find_by_id, id))
