import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkSignature } from '../../../console/views/signature/check.ts';
import { parseHeaders } from '../../../console/views/signature/request-headers.ts';
import signatures from '../../vectors/signatures.json' with { type: 'json' };

const { vectors } = signatures;
type Vector = (typeof vectors)[number];

const eventBody = vectors.find(({ name }) => name === 'an event body') ?? vectors[0];
if (eventBody === undefined) throw new Error('The vectors have no event body');
const { sent_at_ms: sentAt, body, header, standard } = eventBody;
const [secret = ''] = eventBody.secrets;

const linesOf = (given: Readonly<Record<string, string>>) =>
  Object.entries(given)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const headersOf = (vector: Vector) => linesOf({ 'X-Service-Signature': vector.header, ...vector.standard });

type Changes = { readonly headers?: string; readonly body?: string; readonly secret?: string; readonly now?: number };

const check = ({ now = sentAt, ...received }: Changes) =>
  checkSignature({ headers: `X-Service-Signature: ${header}`, body, secret, ...received }, now);

/** Whether each rule is met: header, version, time, signature. */
async function outcomes(changes: Changes) {
  return (await check(changes)).map(({ rules }) => rules.map(({ isMet }) => isMet));
}

/** What is said of the rules that are not met, of the first header. */
async function faults(changes: Changes) {
  const [first] = await check(changes);
  return first?.rules.filter(({ isMet }) => isMet === false).map(({ name, text }) => `${name}: ${text}`);
}

const met = [true, true, true, true];

describe('checkSignature()', () => {
  const signed = vectors.flatMap((vector) => vector.secrets.map((secret) => ({ ...vector, secret })));

  it.each(signed)('accepts $name with each valid secret, in both formats', async (vector) => {
    const given = { headers: headersOf(vector), body: vector.body, secret: vector.secret };

    expect(await outcomes({ ...given, now: vector.sent_at_ms })).toEqual(vector.standard === null ? [met] : [met, met]);
  });

  it('says which header is missing, in each format', async () => {
    expect(await faults({ headers: 'Content-Type: application/json' })).toEqual([
      expect.stringMatching(/^Header: The request has no `X-…-Signature`/),
    ]);
    const headers = linesOf({
      'webhook-id': 'evt_1',
      'Webhook-Signature': standard?.['webhook-signature'] ?? '',
    });
    expect(await outcomes({ headers })).toEqual([
      [false, null, null, null],
      [false, null, null, null],
    ]);
  });

  it.each([
    ['t=1767225600,v0=ab', 'Version: The header has only `v0`. A receiver takes `v1` alone.'],
    ['t=1767225600', 'Version: The header has no signature. A receiver takes `v1` alone.'],
    [header.slice(0, -1), 'Version: No `v1` has 64 hexadecimal characters in lower case: it was cut off or changed.'],
    [header.replace(/^t=\d+,/, ''), 'Time: `t` is missing, or is not a whole number of seconds.'],
    [header.replace(/^t=\d+,/, 't=1.5,'), 'Time: `t` is missing, or is not a whole number of seconds.'],
  ])('says what is wrong with the form of %s', async (value, fault) => {
    expect(await faults({ headers: `X-Acme-Signature: ${value}` })).toContain(fault);
  });

  it.each([
    [300, []],
    [
      301,
      [expect.stringMatching(/^Time: `t` is 5 min behind this clock, .* That is right for a request that you kept/)],
    ],
    [-300, []],
    [-301, [expect.stringMatching(/^Time: `t` is 5 min ahead of this clock, .* 300 s\. Compare the clocks\.$/)]],
  ])('%d seconds after it was signed, the faults of a request are %j', async (seconds, expected) => {
    const now = Math.floor(sentAt / 1_000) * 1_000 + seconds * 1_000;

    expect(await faults({ now })).toEqual(expected);
  });

  it('a changed body, time or secret leaves no signature that matches', async () => {
    const changed = [
      { body: body.replace('webhook.test', 'webhook.tost') },
      { secret: `${secret.slice(0, 6)}BB${secret.slice(8)}` },
      { headers: `X-Service-Signature: ${header.replace(/^t=1767225600/, 't=1767225601')}` },
    ];
    for (const change of changed) {
      expect(await faults(change)).toEqual([expect.stringMatching(/^Signature: No `v1` is the signature of/)]);
    }
    expect(await outcomes({ secret: '' })).toEqual([[true, true, true, null]]);
  });

  it.each([
    [{ body: `${body}\n` }, 'white space at its end'],
    [{ body: JSON.stringify(JSON.parse(body), null, 2) }, 'The body was formatted'],
    [{ secret: ` ${secret}` }, 'The secret has white space around it'],
    [{ secret: secret.replace('whsec_', '') }, 'The secret lacks `whsec_`'],
  ])('names a common mistake: %o', async (change, mistake) => {
    const expected = [expect.stringContaining(mistake)];

    expect(await faults(change)).toEqual(expected);
    expect(await faults({ headers: linesOf({ ...standard }), ...change })).toHaveLength(1);
  });

  it('takes a body whose carriage returns a field of a page has dropped', async () => {
    const value = createHmac('sha256', secret).update('1767225600.{\r\n}').digest('hex');

    expect(await outcomes({ headers: `X-A-Signature: t=1767225600,v1=${value}`, body: '{\n}' })).toEqual([met]);
  });
});

describe('parseHeaders()', () => {
  it.each([
    ['lines of a request', 'POST /hooks HTTP/1.1\r\nHost: a.example\r\nX-A-Signature: t=1,v1=ab\r\n\r\n{"id":"b: c"}'],
    ['curl -v', '> POST /hooks HTTP/2\n> host: a.example\n> x-a-signature: t=1,v1=ab\n>'],
    ['an object in JSON', '{"host":"a.example","x-a-signature":"t=1,v1=ab"}'],
    ['an object as Node.js prints it', `{\n  host: 'a.example',\n  'x-a-signature': 't=1,v1=ab',\n}`],
  ])('reads %s', (_what, text) => {
    const read = [...parseHeaders(text)].map(([name, { value }]) => [name, value]);

    expect(read).toEqual([
      ['host', 'a.example'],
      ['x-a-signature', 't=1,v1=ab'],
    ]);
  });

  it('joins the values of a header that is there twice', () => {
    expect(parseHeaders('A: 1\na: 2').get('a')?.value).toBe('1, 2');
  });
});
