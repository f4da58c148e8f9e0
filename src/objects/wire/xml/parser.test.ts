// The XML parser with hostile input, and the writer with hostile keys.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { mostXmlBytes, parseXml, type XmlLimits } from './parser.ts';
import { writeXml } from './writer.ts';

const large: XmlLimits = { bytes: mostXmlBytes, marks: 100_000 };

const refuses = (body: string | Uint8Array, code = 'MalformedXML', limits?: XmlLimits): void =>
  assert.throws(
    () => parseXml(body, 'a', limits),
    (error) => error instanceof Fault && error.detail.code === code,
    String(body).slice(0, 60),
  );

suite('parsing', () => {
  test('keeps text unchanged, whatever the prefix of the namespace', () => {
    const root = parseXml(
      '<?xml version="1.0"?>\n<s:a xmlns:s="urn:x"><s:k> x &amp; y&#10;&#x1F600; </s:k><!-- c --></s:a>\n',
      'a',
    );
    assert.equal(root.raw('k'), ' x & y\n😀 ');
    assert.equal(parseXml('\uFEFF<a><k><![CDATA[<&amp;>]]></k></a>', 'a').raw('k'), '<&amp;>');
    assert.equal(parseXml('<a><k></k></a>', 'a').raw('k'), '');
    assert.equal(parseXml('<a/>', 'a').raw('k'), undefined);
    assert.equal(parseXml('<a><k> </k></a>', 'a').raw('k'), ' ');
    assert.equal(parseXml('<a><k>007</k></a>', 'a').raw('k'), '007');
  });

  test('refuses entities, document types and instructions to read files', () => {
    refuses('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>');
    refuses('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>');
    refuses('<!doctype a><a/>');
    refuses('<a><!ENTITY x "y"></a>');
    for (const entity of ['&x;', '&nbsp;', '&#0;', '&#xD800;', '&#x110000;', '&', '&amp', '&;', '&constructor;']) {
      refuses(`<a><k>${entity}</k></a>`);
    }
  });

  test('refuses tags that are too long before they are parsed, and takes long text', () => {
    const attributes = Array.from({ length: 200_000 }, (_, at) => `x${at}="'>'"`).join(' ');
    refuses(`<a ${attributes}></a>`, 'MalformedXML', large);
    refuses(`<?xml ${attributes}?><a/>`, 'MalformedXML', large);
    refuses(`<a${' '.repeat(1_000_000)}></a>`, 'MalformedXML', large);
    refuses(`<a>${'<!--'.repeat(100_000)}</a>`, 'MalformedXML', large);
    const long = `"it's" > ${'x'.repeat(10_000)}`;
    assert.equal(parseXml(`<a><k>${long}</k><!-- ${long} --></a>`, 'a').raw('k'), long);
  });

  test('refuses malformed and wrong documents', () => {
    for (const body of [
      '<a>',
      '<a></b>',
      '<a><b></a></b>',
      'text',
      '<b/>',
      '<a/><a/>',
      '<a/><b/>',
      '<a x=1/>',
      '{"a":1}',
    ]) {
      refuses(body);
    }
    refuses('', 'MissingRequestBodyError');
    refuses('  \n', 'MissingRequestBodyError');
    refuses(Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e]));
  });

  test('refuses deep and large documents and names of prototypes', () => {
    refuses('<a>'.repeat(10_000) + '</a>'.repeat(10_000));
    refuses(`<a>${'<b/>'.repeat(200_000)}</a>`, 'MalformedXML', large);
    refuses(`<a>${'<b/>'.repeat(10_000)}</a>`);
    refuses(`<a>${`<b ${'c="" '.repeat(100)}/>`.repeat(110)}</a>`);
    refuses(`<a>${'&amp;'.repeat(10_000)}</a>`);
    refuses(`<a>${' '.repeat(256 * 1024)}</a>`, 'MaxMessageLengthExceeded');
    refuses(`<a>${' '.repeat(mostXmlBytes)}</a>`, 'MaxMessageLengthExceeded', large);
    assert.equal(parseXml(`<a>${'<b/>'.repeat(20_000)}</a>`, 'a', large).all('b').length, 20_000);
    refuses('<a><__proto__>1</__proto__></a>');
    refuses('<a><constructor>1</constructor></a>');
    assert.equal(parseXml('<a/>', 'a').raw('toString'), undefined);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test('checks the type of values', () => {
    const root = parseXml('<a><n>5</n><big>99</big><word>x</word><t>TRUE</t><two/><two/></a>', 'a');
    const isMalformed = { detail: { code: 'MalformedXML', cause: undefined } };
    assert.equal(root.integer('n', 1, 5), 5);
    assert.equal(root.integer('none', 1, 5), undefined);
    assert.equal(root.boolean('t'), true);
    assert.equal(root.choice('word', ['x', 'y']), 'x');
    assert.throws(() => root.integer('big', 1, 5), isMalformed);
    assert.throws(() => root.integer('word', 1, 5), isMalformed);
    assert.throws(() => root.boolean('word'), isMalformed);
    assert.throws(() => root.choice('n', ['x']), isMalformed);
    assert.throws(() => root.optional('two'), isMalformed);
    assert.throws(() => root.required('none'), isMalformed);
  });
});

suite('writing', () => {
  test('has the root, the namespace, lists and nothing for undefined', () => {
    const xml = writeXml('ListBucketResult', {
      Name: 'b',
      Marker: '',
      Next: undefined,
      Contents: [
        { Key: 'x', Size: 0 },
        { Key: 'y', Size: 1 },
      ],
      IsTruncated: false,
      None: [],
    });
    assert.equal(
      xml,
      '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
        '<Name>b</Name><Marker></Marker><Contents><Key>x</Key><Size>0</Size></Contents>' +
        '<Contents><Key>y</Key><Size>1</Size></Contents><IsTruncated>false</IsTruncated></ListBucketResult>',
    );
  });

  test('writes roots with text or without content', () => {
    assert.match(
      writeXml('LocationConstraint', 'local-1'),
      /<LocationConstraint xmlns="[^"]+">local-1<\/LocationConstraint>$/,
    );
    assert.match(
      writeXml('VersioningConfiguration', {}),
      /<VersioningConfiguration xmlns="[^"]+"><\/VersioningConfiguration>$/,
    );
    assert.match(
      writeXml('LocationConstraint', undefined),
      /<LocationConstraint xmlns="[^"]+"><\/LocationConstraint>$/,
    );
    assert.match(writeXml('Error', { Code: 'x' }, null), /\?><Error><Code>x<\/Code><\/Error>$/);
  });

  test('escapes all characters of keys, and attributes', () => {
    const key = `<&>"'\r\n\t\u0001ä😀]]>`;
    const xml = writeXml('a', { k: key, g: { '@_type': 'a"<', ID: 1 } });
    assert.ok(xml.includes('&lt;&amp;&gt;&quot;') && !xml.includes('\u0001') && xml.includes('type="a&quot;&lt;"'));
    assert.equal(parseXml(xml, 'a').raw('k'), key);
  });
});
