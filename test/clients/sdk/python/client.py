"""The Python SDK as this suite uses it: one settings object in, one JSON line per check out."""
import json
import os
import re
import traceback

import ionoscloud
from ionoscloud.rest import ApiException

settings = json.loads(os.environ['CLIENT_SETTINGS'])
tag = settings['tag']


def connect(**credentials):
    # Without a url the host is the SDK's own; the proxy comes from IONOS_HTTP_PROXY. It trusts certifi's roots only.
    configuration = ionoscloud.Configuration(**credentials)
    if settings.get('url'):
        configuration.host = settings['url']
    configuration.ssl_ca_cert = os.environ.get('SSL_CERT_FILE')
    return ionoscloud.ApiClient(configuration)


client = connect(token=settings['token'])


def wire(model):
    return client.sanitize_for_serialization(model)


def accepted(answer, by=client):
    """The answer to a change, after its request has ended."""
    body, status, headers = answer
    location = headers['Location']
    by.wait_for_completion(re.search(r'/requests/([-0-9a-f]+)/status$', location).group(1))
    return {'status': status, 'location': location, 'body': wire(body)}


def answered(answer):
    body, status, headers = answer
    return {'status': status, 'location': headers.get('Location'), 'body': wire(body)}


def refused(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ApiException as error:
        return {'status': error.status, 'body': json.loads(error.body)}
    raise AssertionError('the call was not refused')


def report(check, **seen):
    print(json.dumps({'check': check, 'seen': seen}), flush=True)


def run(*sections):
    """A section that breaks says so and leaves the others alone."""
    for section in sections:
        if section.__name__ in settings['sections']:
            try:
                section()
            except Exception:  # whatever it is, it is the result
                print(json.dumps({'broken': section.__name__, 'why': traceback.format_exc()}), flush=True)
