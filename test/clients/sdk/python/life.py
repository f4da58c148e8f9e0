"""The life of one resource: made, listed, changed, replaced, and gone; what is in it lives in between."""
from client import accepted, refused, report, wire


def life(check, api, path, parents, made, changed, whole=None, inside=None, find='find_by_id', **named):
    def call(verb, *arguments, **more):
        name = named.get(verb, f'{path}_{verb}')
        reads = verb in ('get', find)
        return getattr(api, name if reads else f'{name}_with_http_info')(*parents, *arguments, **more)

    created = accepted(call('post', made))
    id = created['body']['id']
    found = {'query_params': {'filter.name': made.properties.name.upper()}}
    seen = {'created': created, 'listed': wire(call('get', depth=1, **found))}
    seen.update(changed=accepted(call('patch', id, changed)), after=wire(call(find, id)))
    if whole:
        seen.update(put=accepted(call('put', id, whole)), replaced=wire(call(find, id)))
    if inside:
        inside(id)
    seen.update(ended=accepted(call('delete', id)), gone=refused(call, find, id))
    report(check, **seen)
