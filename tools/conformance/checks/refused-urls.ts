import { type Check, check, checkOf, groupsOf } from '../harness/check.ts';
import { expectEqual } from '../harness/expect.ts';
import { at, listOrNone } from '../harness/json.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { expectPointer } from './problems.ts';

const longName = `${'a'.repeat(64)}.example.com`;

/** URLs that the service must refuse, by reason. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'is not https': ['http://example.com/hook', 'ftp://example.com/', 'file:///etc/passwd', 'hook'],
  'is empty': [''],
  'is localhost': ['https://localhost/', 'https://LOCALHOST:8443/', 'https://a.localhost/', 'https://localhost./'],
  'is in a private range': [
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://[fd00::1]/',
  ],
  'is the metadata address': ['https://169.254.169.254/latest/meta-data/', 'https://[fd00:ec2::254]/'],
  'is loopback': ['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://[::1]/'],
  'is unspecified, multicast or reserved': ['https://0.0.0.0/', 'https://224.0.0.1/', 'https://240.0.0.1/'],
  'hides an IPv4 address in IPv6': [
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:7f00:1::]/',
  ],
  'has userinfo': ['https://user:pass@example.com/'],
  'has a fragment': ['https://example.com/#part', 'https://example.com/#'],
  'has a blocked port': ['https://example.com:22/', 'https://example.com:0/'],
  'is over 2,048 characters': [`https://example.com/${'x'.repeat(2_048)}`],
  'has a malformed name': ['https://a..example.com/', `https://${longName}/`, 'https://*.example.com/'],
  'has a special-use name': [
    'https://intranet/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://router.home.arpa/',
    'https://abc.onion/',
    'https://abc.invalid/',
  ],
};

function shortened(url: string): string {
  return url.length > 60 ? `${url.slice(0, 40)}… (${url.length} characters)` : url;
}

const perUrl: readonly Check[] = Object.entries(refused).flatMap(([reason, urls]) =>
  urls.map((url) =>
    check(`refuses a URL that ${reason}: "${shortened(url)}"`, [], async (ctx) =>
      expectPointer(await ctx.customer.post('/v1/webhooks', { url }), '/url'),
    ),
  ),
);

const shape: readonly Check[] = [
  check('refuses a registration without url', [], async (ctx) =>
    expectPointer(await ctx.customer.post('/v1/webhooks', { description: 'no url' }), '/url'),
  ),
  check('refuses a url that is not a string', [], async (ctx) =>
    expectPointer(await ctx.customer.post('/v1/webhooks', { url: null }), '/url'),
  ),
  checkOf('a URL is checked before the limit of endpoints', allSlotsTaken, async (_, ctx) =>
    expectPointer(await ctx.other.post('/v1/webhooks', { url: 'https://localhost/' }), '/url'),
  ),
  check('a refused URL leaves no endpoint behind', [], async (ctx) => {
    const url = `https://localhost/${ctx.tag}`;
    await ctx.customer.post('/v1/webhooks', { url });
    const { json } = await ctx.customer.get('/v1/webhooks?limit=100');
    const found = listOrNone(json, 'items').filter((item) => at(item, 'url') === url);
    expectEqual('endpoints with that URL', found.length, 0);
  }),
];

export const refusedUrls = groupsOf('Endpoints', {
  'POST /v1/webhooks: refused URLs': [...perUrl, ...shape],
});
