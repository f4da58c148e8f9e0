"""Servers, and what hangs on them."""
import ionoscloud as sdk
from client import accepted, answered, client, refused, report, tag, wire
from infrastructure import create_datacenter, labels
from life import life

all_servers = sdk.ServersApi(client)
volumes = sdk.VolumesApi(client)
nics = sdk.NetworkInterfacesApi(client)
snapshots = sdk.SnapshotsApi(client)
images = sdk.ImagesApi(client)
templates = sdk.TemplatesApi(client)

password = 'APasswordOfTests1'
# As in a file, with the end of its line.
key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK5n8TScrJLYYt9RspypbYVVjAvQbbXmvnmxQvKMDhlR test@example.com\n'


def one_image(alias, kind):
    filters = {'filter.imageAliases': alias, 'filter.imageType': kind, 'filter.location': 'de/txl'}
    return wire(images.images_get(depth=1, query_params=filters))


def one_template(name):
    return wire(templates.templates_get(depth=1, query_params={'filter.name': name}))


def servers():
    dc = create_datacenter(f'{tag}-servers')['body']['id']
    catalogue()
    web = composite(dc)
    cube = kinds(dc)
    lists(dc, cube)
    changes(dc, web)
    power(dc, web, cube)
    disks(dc, web)
    snapshot_checks(dc, web)
    nic_checks(dc, web)
    label_checks(dc, web)
    ends(dc, web, cube)


def catalogue():
    report('image_list', found=one_image('debian:latest', 'HDD'), none=one_image('debian:latest', 'UNKNOWN'))
    report('template_list', found=one_template('Basic Cube XS'))


def composite(dc):
    rule = sdk.FirewallruleProperties(name='http', protocol='TCP', port_range_start=80, port_range_end=80)
    nic = sdk.Nic(
        properties=sdk.NicProperties(lan=1, name='first', dhcp=True, firewall_active=True),
        entities=sdk.NicEntities(firewallrules=sdk.FirewallRules(items=[sdk.FirewallRule(properties=rule)])),
    )
    disk = sdk.VolumeProperties(
        name='system', size=10, type='HDD', image_alias='ubuntu:latest', image_password=password, ssh_keys=[key]
    )
    server = sdk.Server(
        properties=sdk.ServerProperties(name='web', cores=2, ram=2048, availability_zone='ZONE_1'),
        entities=sdk.ServerEntities(
            volumes=sdk.AttachedVolumes(items=[sdk.Volume(properties=disk)]), nics=sdk.Nics(items=[nic])
        ),
    )
    created = accepted(all_servers.datacenters_servers_post_with_http_info(dc, server))
    id = created['body']['id']
    after = wire(all_servers.datacenters_servers_find_by_id(dc, id, depth=4))
    report('server_composite', **created, after=after)
    return id


def kinds(dc):
    vcpu = sdk.Server(properties=sdk.ServerProperties(name='shared', type='VCPU', cores=1, ram=1024))
    shared = accepted(all_servers.datacenters_servers_post_with_http_info(dc, vcpu))['body']['id']
    template = one_template('Basic Cube XS')['items'][0]['id']
    das = sdk.VolumeProperties(name='das', type='DAS', image_alias='debian:latest', image_password=password)
    cube = sdk.Server(
        properties=sdk.ServerProperties(name='cube', type='CUBE', template_uuid=template),
        entities=sdk.ServerEntities(volumes=sdk.AttachedVolumes(items=[sdk.Volume(properties=das)])),
    )
    id = accepted(all_servers.datacenters_servers_post_with_http_info(dc, cube))['body']['id']
    report(
        'server_kinds',
        shared=wire(all_servers.datacenters_servers_find_by_id(dc, shared)),
        cube=wire(all_servers.datacenters_servers_find_by_id(dc, id, depth=2)),
    )
    return id


def lists(dc, cube):
    def get(depth, **filters):
        params = {f'filter.{name}': value for name, value in filters.items()}
        return wire(all_servers.datacenters_servers_get(dc, depth=depth, query_params=params))

    report('server_list', cube=cube, references=get(0), cubes=get(1, type='cube'), deep=get(3, name='WEB'))


def changes(dc, web):
    def get():
        return wire(all_servers.datacenters_servers_find_by_id(dc, web))

    patch = sdk.ServerProperties(cores=3, ram=3072)
    patched = accepted(all_servers.datacenters_servers_patch_with_http_info(dc, web, patch))
    report('server_patch', **patched, after=get())
    whole = sdk.Server(properties=sdk.ServerProperties(name='site', cores=4, ram=4096, availability_zone='ZONE_1'))
    put = accepted(all_servers.datacenters_servers_put_with_http_info(dc, web, whole))
    report('server_put', **put, after=get())


def power(dc, web, cube):
    def states():
        for id, act in ((web, 'stop'), (web, 'start'), (web, 'reboot'), (cube, 'suspend'), (cube, 'resume')):
            method = getattr(all_servers, f'datacenters_servers_{act}_post_with_http_info')
            answer = accepted(method(dc, id))
            after = wire(all_servers.datacenters_servers_find_by_id(dc, id))
            yield {'act': act, 'status': answer['status'], 'vmState': after['properties']['vmState']}

    report('server_power', acts=list(states()))
    report(
        'server_console',
        console=wire(all_servers.datacenters_servers_remote_console_get(dc, web)),
        token=wire(all_servers.datacenters_servers_token_get(dc, web)),
    )


def disks(dc, web):
    properties = {'name': 'data', 'size': 5, 'type': 'SSD Standard', 'licence_type': 'OTHER'}

    def inside(id):
        attached = accepted(all_servers.datacenters_servers_volumes_post_with_http_info(dc, web, sdk.Volume(id=id)))
        seen = wire(all_servers.datacenters_servers_volumes_get(dc, web, depth=1))
        detached = accepted(all_servers.datacenters_servers_volumes_delete_with_http_info(dc, web, id))
        gone = refused(all_servers.datacenters_servers_volumes_find_by_id, dc, web, id)
        report('volume_attach', id=id, attached=attached, seen=seen, ended=detached, gone=gone)

    life(
        'volume_life',
        volumes,
        'datacenters_volumes',
        (dc,),
        sdk.Volume(properties=sdk.VolumeProperties(**properties)),
        sdk.VolumeProperties(size=7),
        sdk.Volume(properties=sdk.VolumeProperties(**{**properties, 'name': 'more', 'size': 8})),
        inside,
    )
    iso = one_image('ubuntu:latest', 'CDROM')['items'][0]['id']
    boot_checks(dc, web, iso)
    inserted = accepted(all_servers.datacenters_servers_cdroms_post_with_http_info(dc, web, sdk.Image(id=iso)))
    seen = wire(all_servers.datacenters_servers_cdroms_get(dc, web, depth=1))
    ejected = accepted(all_servers.datacenters_servers_cdroms_delete_with_http_info(dc, web, iso))
    gone = refused(all_servers.datacenters_servers_cdroms_find_by_id, dc, web, iso)
    report('cdrom_attach', id=iso, attached=inserted, seen=seen, ended=ejected, gone=gone)


def boot_checks(dc, web, iso):
    def boot(**device):
        patch = sdk.ServerProperties(**{name: sdk.ResourceReference(id=id) for name, id in device.items()})
        accepted(all_servers.datacenters_servers_patch_with_http_info(dc, web, patch))
        return wire(all_servers.datacenters_servers_find_by_id(dc, web, depth=1))

    system = wire(all_servers.datacenters_servers_volumes_get(dc, web))['items'][0]['id']
    report('server_boot', iso=iso, system=system, booted=boot(boot_cdrom=iso), after=boot(boot_volume=system))
    accepted(all_servers.datacenters_servers_cdroms_delete_with_http_info(dc, web, iso))


def snapshot_checks(dc, web):
    system = wire(all_servers.datacenters_servers_volumes_get(dc, web))['items'][0]['id']
    name = f'{tag}-copy'
    wish = sdk.CreateSnapshot(properties=sdk.CreateSnapshotProperties(name=name, description='first'))
    created = accepted(
        volumes.datacenters_volumes_create_snapshot_post_with_http_info(dc, system, snapshot=wish)
    )
    id = created['body']['id']
    listed = wire(snapshots.snapshots_get(depth=1, query_params={'filter.name': name.upper()}))
    patch = sdk.SnapshotProperties(description='second')
    changed = accepted(snapshots.snapshots_patch_with_http_info(id, patch))
    after = wire(snapshots.snapshots_find_by_id(id))
    back = sdk.RestoreSnapshot(properties=sdk.RestoreSnapshotProperties(snapshot_id=id))
    restored = accepted(
        volumes.datacenters_volumes_restore_snapshot_post_with_http_info(dc, system, restore_snapshot=back)
    )
    seed = sdk.Volume(properties=sdk.VolumeProperties(name='seeded', size=12, type='HDD', image=id))
    seeded = accepted(volumes.datacenters_volumes_post_with_http_info(dc, seed))
    ended = accepted(snapshots.snapshots_delete_with_http_info(id))
    report(
        'snapshot_life',
        created=created,
        listed=listed,
        changed=changed,
        after=after,
        restored=restored,
        seeded=seeded,
        ended=ended,
        gone=refused(snapshots.snapshots_find_by_id, id),
    )


def nic_checks(dc, web):
    def inside(id):
        rule = sdk.FirewallruleProperties(name='ssh', protocol='TCP', port_range_start=22, port_range_end=22)
        whole = sdk.FirewallruleProperties(name='any', protocol='TCP', source_ip='10.1.2.3')
        rules = 'datacenters_servers_nics_firewallrules'
        life(
            'firewallrule_life',
            sdk.FirewallRulesApi(client),
            rules,
            (dc, web, id),
            sdk.FirewallRule(properties=rule),
            sdk.FirewallruleProperties(port_range_end=23),
            sdk.FirewallRule(properties=whole),
        )
        log = {'name': 'log', 'action': 'ALL', 'direction': 'INGRESS', 'bucket': f'{tag}-logs'}
        life(
            'flowlog_life',
            sdk.FlowLogsApi(client),
            'datacenters_servers_nics_flowlogs',
            (dc, web, id),
            sdk.FlowLog(properties=sdk.FlowLogProperties(**log)),
            sdk.FlowLogProperties(name='other'),
            sdk.FlowLog(properties=sdk.FlowLogProperties(**{**log, 'name': 'put'})),
        )

    properties = sdk.NicProperties(name='second', lan=2, dhcp=True)
    life(
        'nic_life',
        nics,
        'datacenters_servers_nics',
        (dc, web),
        sdk.Nic(properties=properties),
        sdk.NicProperties(firewall_active=True),
        sdk.NicPut(properties=sdk.NicProperties(name='put', lan=2, dhcp=False)),
        inside,
    )


def label_checks(dc, web):
    def label(value):
        return sdk.LabelResource(properties=sdk.LabelResourceProperties(key='stage', value=value))

    created = answered(labels.datacenters_servers_labels_post_with_http_info(dc, web, label('test')))
    changed = answered(labels.datacenters_servers_labels_put_with_http_info(dc, web, 'stage', label('live')))
    seen = wire(labels.datacenters_servers_labels_get(dc, web, depth=1))
    ended = labels.datacenters_servers_labels_delete_with_http_info(dc, web, 'stage')[1]
    gone = refused(labels.datacenters_servers_labels_find_by_key, dc, web, 'stage')
    report('server_label', created=created, changed=changed, seen=seen, ended={'status': ended}, gone=gone)


def ends(dc, web, cube):
    das = wire(all_servers.datacenters_servers_volumes_get(dc, cube))['items'][0]['id']
    kept = refused(volumes.datacenters_volumes_delete, dc, das)
    accepted(all_servers.datacenters_servers_delete_with_http_info(dc, cube))
    system = wire(all_servers.datacenters_servers_volumes_get(dc, web))['items'][0]['id']
    ended = accepted(all_servers.datacenters_servers_delete_with_http_info(dc, web, delete_volumes=True))
    report(
        'server_delete',
        **ended,
        gone=refused(all_servers.datacenters_servers_find_by_id, dc, web),
        das=kept,
        volumes=[refused(volumes.datacenters_volumes_find_by_id, dc, id) for id in (das, system)],
    )
