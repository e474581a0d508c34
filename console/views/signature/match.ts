type Signed = {
  /** Signatures of the request. */
  readonly values: readonly string[];
  /** What is signed in front of the body. */
  readonly head: string;
  readonly encoding: 'hex' | 'base64';
  readonly body: string;
  readonly secret: string;
};

type Candidate = Pick<Signed, 'body' | 'secret'>;

/**
 * How a body and a secret match one of the signatures.
 *
 * @returns `exact`; the mistake, when they match but for a common one; `null` when nothing matches
 */
export async function matchOf(signed: Signed): Promise<string | null> {
  const { body, secret } = signed;
  // A field of a page has no carriage returns, also when the pasted body had them.
  const exact = [body, body.replaceAll('\n', '\r\n')];
  for (const candidate of exact) if (await fits(signed, { body: candidate, secret })) return 'exact';
  for (const [mistake, candidate] of mistakes({ body, secret })) {
    if (await fits(signed, candidate)) return mistake;
  }
  return null;
}

/** Common mistakes, each with what was signed if it was made. */
function mistakes({ body, secret }: Candidate): readonly (readonly [mistake: string, Candidate])[] {
  const bodies = [
    ['The body has white space at its end that was not signed.', body.trimEnd()],
    ['The body was formatted. Sign the raw bytes, before a framework parses them.', compact(body)],
  ] as const;
  const secrets = [
    ['The secret has white space around it.', secret.trim()],
    ['The secret lacks `whsec_`: it is part of it.', `whsec_${secret.trim()}`],
  ] as const;
  return [
    ...bodies.map(([mistake, changed]) => [mistake, { body: changed, secret }] as const),
    ...secrets.map(([mistake, changed]) => [mistake, { body, secret: changed }] as const),
  ];
}

function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

async function fits({ values, head, encoding }: Signed, { body, secret }: Candidate): Promise<boolean> {
  const key = encoding === 'hex' ? textBytes(secret) : decoded(secret);
  if (key === null || key.length === 0) return false;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', imported, textBytes(`${head}${body}`)));
  return values.includes(encoding === 'hex' ? hexOf(bytes) : btoa(String.fromCharCode(...bytes)));
}

const textBytes = (text: string) => new TextEncoder().encode(text);

/** The bytes behind `whsec_`; `null` when the text is no such secret. */
function decoded(secret: string): Uint8Array<ArrayBuffer> | null {
  const [, base64] = /^whsec_(.*)$/s.exec(secret) ?? [];
  if (base64 === undefined) return null;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
