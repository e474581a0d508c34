import { signatureTolerance } from '../../api/service-facts.ts';
import { shortDuration } from '../../parts/texts.ts';
import { matchOf } from './match.ts';
import { type HeaderMap, parseHeaders } from './request-headers.ts';

/** A request as a receiver got it. */
export type Received = {
  /** As people paste them. */
  readonly headers: string;
  readonly body: string;
  readonly secret: string;
};

/** What a receiver has to check; `isMet` is `null` when a rule before it leaves nothing to check. */
export type Rule = { readonly name: string; readonly isMet: boolean | null; readonly text: string };

/** The rules of one signature header. Texts may have backticks around code. */
export type Check = { readonly header: string; readonly rules: readonly Rule[] };

/** What was read of a signature. */
type Parts = {
  /** The text of the timestamp; `null` when there is none. */
  readonly time: string | null;
  /** What is signed in front of the body. */
  readonly head: string;
  /** Each signature with its version in front: `v1`. */
  readonly signed: readonly (readonly [version: string, value: string])[];
};

type Scheme = {
  readonly header: string;
  /** Headers that the request needs and does not have. */
  readonly missing: readonly string[];
  readonly read: () => Parts;
  readonly timeName: string;
  readonly encoding: 'hex' | 'base64';
};

/**
 * Checks a request by the rules for receivers, in this browser alone.
 *
 * @param now epoch milliseconds
 * @returns a check of each signature header; that of Standard Webhooks only when the request has one of its headers
 */
export async function checkSignature(received: Received, now: number): Promise<readonly Check[]> {
  const headers = parseHeaders(received.headers);
  const schemes = [ownScheme(headers), standardScheme(headers)].filter((scheme) => scheme !== null);
  return await Promise.all(
    schemes.map(async (scheme) => ({
      header: scheme.header,
      rules: await rulesOf(scheme, received, now),
    })),
  );
}

function ownScheme(headers: HeaderMap): Scheme {
  const found = [...headers.values()].find(({ name }) => /^x-.+-signature$/i.test(name));
  const header = found?.name ?? 'X-…-Signature';
  const read = () => {
    const parts = (found?.value ?? '').split(',').map((part) => part.trim());
    const pairs = parts.map((part) => [part.replace(/=.*/, ''), part.replace(/^[^=]*=?/, '')] as const);
    const time = pairs.find(([name]) => name === 't')?.[1] ?? null;
    return { time, head: `${time}.`, signed: pairs.filter(([name]) => name !== 't') };
  };
  return { header, missing: found ? [] : [header], read, timeName: 't', encoding: 'hex' };
}

const standardNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

function standardScheme(headers: HeaderMap): Scheme | null {
  const missing = standardNames.filter((name) => !headers.has(name));
  if (missing.length === standardNames.length) return null;
  const read = () => {
    const [id, time, signatures] = standardNames.map((name) => headers.get(name)?.value ?? '');
    const signed = (signatures ?? '').split(/\s+/).map((part) => {
      const [version = '', value = ''] = part.split(',');
      return [version, value] as const;
    });
    return { time: time ?? null, head: `${id}.${time}.`, signed };
  };
  return { header: 'webhook-signature', missing, read, timeName: 'webhook-timestamp', encoding: 'base64' };
}

const names = {
  header: 'Header',
  version: 'Version',
  time: 'Time',
  signature: 'Signature',
} as const;

async function rulesOf(scheme: Scheme, received: Received, now: number): Promise<readonly Rule[]> {
  if (scheme.missing.length > 0) {
    const text = `The request has no ${scheme.missing.map((name) => `\`${name}\``).join(', ')}. Copy all headers, and look whether a proxy removes some.`;
    const rest = [names.version, names.time, names.signature].map((name) => unchecked(name));
    return [{ name: names.header, isMet: false, text }, ...rest];
  }
  const parts = scheme.read();
  const version = versionRule(scheme, parts);
  const time = timeRule(scheme, parts, now);
  return [
    { name: names.header, isMet: true, text: `\`${scheme.header}\` is there.` },
    version,
    time,
    version.isMet ? await signatureRule(scheme, parts, received) : unchecked(names.signature),
  ];
}

const unchecked = (name: string): Rule => ({ name, isMet: null, text: 'Not checked.' });

const forms = {
  hex: { pattern: /^[0-9a-f]{64}$/, text: '64 hexadecimal characters in lower case' },
  base64: { pattern: /^[A-Za-z0-9+/]{43}=$/, text: '44 characters of base64' },
} as const;

function versionRule({ encoding }: Scheme, { signed }: Parts): Rule {
  const name = names.version;
  const known = valuesOf(signed);
  const { pattern, text } = forms[encoding];
  if (known.length === 0) {
    const others = signed.map(([version]) => version).filter((version) => version !== '');
    const has = others.length === 0 ? 'no signature' : `only ${others.map((version) => `\`${version}\``).join(', ')}`;
    return { name, isMet: false, text: `The header has ${has}. A receiver takes \`v1\` alone.` };
  }
  if (!known.some((value) => pattern.test(value))) {
    return { name, isMet: false, text: `No \`v1\` has ${text}: it was cut off or changed.` };
  }
  const count = known.length === 1 ? 'one `v1`' : `${known.length} \`v1\`, one for each valid secret`;
  return { name, isMet: true, text: `The header has ${count}.` };
}

const valuesOf = (signed: Parts['signed']) => signed.filter(([version]) => version === 'v1').map(([, value]) => value);

function timeRule({ timeName }: Scheme, { time }: Parts, now: number): Rule {
  const name = names.time;
  if (time === null || !/^\d{1,12}$/.test(time)) {
    return { name, isMet: false, text: `\`${timeName}\` is missing, or is not a whole number of seconds.` };
  }
  const age = Math.floor(now / 1_000) - Number(time);
  const away = `\`${timeName}\` is ${shortDuration(Math.abs(age))} ${age < 0 ? 'ahead of' : 'behind'} this clock`;
  if (Math.abs(age) <= signatureTolerance) return { name, isMet: true, text: `${away}.` };
  const why =
    age < 0
      ? 'Compare the clocks.'
      : 'That is right for a request that you kept. If it has just arrived, compare the clocks.';
  return { name, isMet: false, text: `${away}, and a receiver allows ${signatureTolerance} s. ${why}` };
}

async function signatureRule({ encoding }: Scheme, { head, signed }: Parts, received: Received): Promise<Rule> {
  const name = names.signature;
  if (received.secret === '') return { name, isMet: null, text: 'Enter the secret to check it.' };
  const match = await matchOf({ values: valuesOf(signed), head, encoding, ...received });
  if (match === 'exact') return { name, isMet: true, text: 'The secret has signed exactly this body.' };
  if (match === null) {
    const text =
      'No `v1` is the signature of this body with this secret. The body was changed after it arrived, or the secret is that of another endpoint, or from before or after a rotation.';
    return { name, isMet: false, text };
  }
  return { name, isMet: false, text: match };
}
