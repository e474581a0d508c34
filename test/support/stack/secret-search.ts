/** A value that may appear only in the places that are allowed to hold it. */
export type Secret = {
  readonly name: string;
  readonly value: string;
  /** Parts that would help an attacker; the prefix that is shown on purpose is not one. */
  readonly parts: readonly string[];
};

/** A text that is written, answered or stored. */
export type Surface = { readonly where: string; readonly content: Buffer };

export type Finding = { readonly secret: string; readonly form: string; readonly where: string };

/** A place where a secret may be. */
export type Exception = readonly [secret: RegExp, where: RegExp, because: string];

/** Text that is searched for as a whole. */
export function marker(name: string, value: string): Secret {
  return { name, value, parts: [] };
}

/** A key or a signing secret; no longer part of it may show either. */
export function credential(name: string, value: string): Secret {
  return { name, value, parts: [value.slice(value.indexOf('_') + 1), value.slice(12, 36), value.slice(-24)] };
}

/** An access token: its header is the same in all of them. */
export function token(name: string, value: string): Secret {
  return { name, value, parts: value.split('.').slice(1) };
}

export function surface(where: string, content: string | Buffer): Surface {
  return { where, content: typeof content === 'string' ? Buffer.from(content) : content };
}

/** Every place that holds a secret, in any encoding. */
export function search(secrets: readonly Secret[], surfaces: readonly Surface[]): readonly Finding[] {
  return secrets.flatMap((secret) => {
    const forms = [...formsOf(secret)];
    return surfaces.flatMap(({ where, content }) => {
      const [form] = forms.find(([, needle]) => content.includes(needle)) ?? [];
      return form === undefined ? [] : [{ secret: secret.name, form, where }];
    });
  });
}

export function isExcepted(exceptions: readonly Exception[], { secret, where }: Finding): boolean {
  return exceptions.some(([named, place]) => named.test(secret) && place.test(where));
}

function* formsOf({ value, parts }: Secret): Iterable<readonly [form: string, needle: string]> {
  for (const [name, text] of [['it', value] as const, ...parts.map((part) => ['a part of it', part] as const)]) {
    const hex = Buffer.from(text).toString('hex');
    yield [`${name} as it is`, text];
    yield [`${name} in JSON`, JSON.stringify(text).slice(1, -1)];
    yield [`${name} in a URL`, encodeURIComponent(text)];
    yield [`${name} in hex`, hex];
    yield [`${name} in upper-case hex`, hex.toUpperCase()];
    for (const encoded of base64Of(text)) {
      yield [`${name} in base64`, encoded];
      yield [`${name} in base64url`, encoded.replaceAll('+', '-').replaceAll('/', '_')];
    }
  }
}

/** The forms of a text within encoded text, at every offset, without the characters that mix with a neighbour. */
function base64Of(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    return encoded.slice(Math.ceil((shift * 8) / 6), end);
  });
}
