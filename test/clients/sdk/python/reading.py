"""Read-only resources, and refused calls."""
import ionoscloud as sdk
from ionoscloud.exceptions import ApiFailedRequest
from client import client, connect, refused, report, settings, tag, wire
from infrastructure import blocks, create_datacenter, datacenters, lans

nobody = '01234567-89ab-7cde-8f01-23456789abcd'


def reading():
    locations = sdk.LocationsApi(client)
    report(
        'location_list',
        references=wire(locations.locations_get(depth=0)),
        full=wire(locations.locations_get(depth=1)),
        region=wire(locations.locations_find_by_region_id('us', depth=1)),
    )
    report(
        'location_get',
        plain=wire(locations.locations_find_by_region_id_and_id('de', 'txl')),
        slashed=wire(locations.locations_find_by_region_id_and_id('de', 'fra/2')),
        gone=refused(locations.locations_find_by_region_id_and_id, 'de', 'xyz'),
    )
    report('contract_list', body=wire(sdk.ContractResourcesApi(client).contracts_get(depth=0)))


def errors():
    stranger = sdk.DataCentersApi(connect(token='no.real.token'))
    report('error_unauthorized', **refused(stranger.datacenters_get))
    report(
        'error_missing',
        unknown=refused(datacenters.datacenters_find_by_id, nobody),
        change=refused(datacenters.datacenters_patch, nobody, sdk.DatacenterProperties(name='x')),
        parent=refused(lans.datacenters_lans_post, nobody, sdk.Lan(properties=sdk.LanProperties())),
    )
    mistaken = sdk.DatacenterProperties(name='', location='xx/yyy')
    report('error_unacceptable', **refused(datacenters.datacenters_post, sdk.Datacenter(properties=mistaken)))
    huge = sdk.IpBlockProperties(location='de/fra', size=4000)
    report('error_limit', **refused(blocks.ipblocks_post, sdk.IpBlock(properties=huge)))
    dc = create_datacenter(f'{tag}-fixed')['body']['id']
    moved = sdk.DatacenterPut(properties=sdk.DatacenterProperties(name='x', location='de/fra'))
    report('error_immutable', **refused(datacenters.datacenters_put, dc, moved))


def broken():
    """The lab lets the next IP block fail and the next datacenter hang."""
    properties = sdk.IpBlockProperties(location='de/fra', size=1)
    body, status, headers = blocks.ipblocks_post_with_http_info(sdk.IpBlock(properties=properties))
    location = headers['Location']
    message = ''
    try:
        client.wait_for_completion(location.split('/')[-2])
    except ApiFailedRequest as error:
        message = str(error)
    report('request_failed', status=status, message=message, gone=refused(blocks.ipblocks_find_by_id, body.id))
    properties = sdk.DatacenterProperties(name=f'{tag}-slow', location='de/txl')
    dc = datacenters.datacenters_post(sdk.Datacenter(properties=properties)).id
    report(
        'parent_busy',
        parent=wire(datacenters.datacenters_find_by_id(dc)),
        create=refused(lans.datacenters_lans_post, dc, sdk.Lan(properties=sdk.LanProperties())),
        change=refused(datacenters.datacenters_patch, dc, sdk.DatacenterProperties(name='x')),
    )
