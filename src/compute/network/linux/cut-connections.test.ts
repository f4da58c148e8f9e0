// Lines of connection tracking, and how a connection is removed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionIn, removalOf } from './cut-connections.ts';

test('a TCP connection is removed by its original direction', () => {
  const line =
    'tcp      6 431999 ESTABLISHED src=10.7.0.12 dst=10.7.0.11 sport=39320 dport=80 src=10.7.0.11 dst=10.7.0.12 sport=80 dport=39320 [ASSURED] mark=0 use=1';
  const connection = connectionIn(line);
  assert.equal(connection?.protocol, 'TCP');
  assert.equal(
    connection && removalOf(connection),
    'conntrack -D -f ipv4 -p tcp -s 10.7.0.12 -d 10.7.0.11 --sport 39320 --dport 80',
  );
});

test('an echo request is removed by its type and id', () => {
  const line =
    'icmpv6   58 29 src=2001:db8::5 dst=2001:db8::6 type=128 code=0 id=7 src=2001:db8::6 dst=2001:db8::5 type=129 code=0 id=7 mark=0 use=1';
  const connection = connectionIn(line);
  assert.equal(
    connection && removalOf(connection),
    'conntrack -D -f ipv6 -p icmpv6 -s 2001:db8::5 -d 2001:db8::6 --icmpv6-type 128 --icmpv6-code 0 --icmpv6-id 7',
  );
});

test('other lines are ignored', () => {
  assert.equal(connectionIn(''), undefined);
  assert.equal(connectionIn('unknown  2 500 src=1.2.3.4 dst=224.0.0.1'), undefined);
});
