import { createHash, createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { type Host, variable } from './host.ts';

type Headers = Readonly<Record<string, string>>;

export type UnsignedRequest = {
  readonly url: URL;
  /** Without `host`. */
  readonly headers: Headers;
  readonly body: string;
};

/** Signs a POST. @returns all of its headers */
export type SignRequest = (request: UnsignedRequest, at: Date) => Promise<Headers>;

/** The SDK's own signer, with the hashes of Node. The credentials are read for each request. */
export function createSignRequest(service: string, host: Host): SignRequest {
  const signer = new SignatureV4({
    service,
    region: async () => variable(host, 'AWS_REGION'),
    credentials: async () => readCredentials(host),
    sha256: Sha256,
    // Only S3 reads the hash of the body from a header.
    applyChecksum: false,
  });
  return async ({ url, headers, body }, at) => {
    const { protocol, hostname, pathname: path } = url;
    const request = {
      method: 'POST',
      protocol,
      hostname,
      path,
      headers: { host: url.host, ...headers },
      body,
    };
    const signed = await signer.sign(request, { signingDate: at });
    return signed.headers;
  };
}

function readCredentials(host: Host) {
  const sessionToken = host.environment().AWS_SESSION_TOKEN;
  return {
    accessKeyId: variable(host, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: variable(host, 'AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken ? { sessionToken } : {}),
  };
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** The hash that the signer uses: an HMAC with a key, a plain digest without one. */
class Sha256 {
  readonly #key: KeyObject | undefined;
  readonly #data: (string | Uint8Array)[] = [];

  constructor(key?: Bytes) {
    this.#key = key === undefined ? undefined : toKey(key);
  }

  update(data: Bytes): void {
    this.#data.push(typeof data === 'string' ? data : toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    const [first = '', ...rest] = this.#data;
    if (this.#key === undefined && rest.length === 0) return hash('sha256', first, 'buffer');
    const state = this.#key === undefined ? createHash('sha256') : createHmac('sha256', this.#key);
    for (const part of this.#data) state.update(part);
    return state.digest();
  }

  reset(): void {
    throw new Error('Cannot reset a digest: make another');
  }
}

/**
 * Without a prepared key, Node makes one for each HMAC, which takes longer than the HMAC. The signer passes the same
 * bytes as long as it uses the key of a day, and the same text as long as the credentials stay.
 */
const preparedBytes = new WeakMap<object, KeyObject>();
let preparedText: { readonly text: string; readonly key: KeyObject } | undefined;

function toKey(key: Bytes): KeyObject {
  if (typeof key === 'string') return keyOfText(key);
  const prepared = preparedBytes.get(key) ?? createSecretKey(toBytes(key));
  preparedBytes.set(key, prepared);
  return prepared;
}

function keyOfText(text: string): KeyObject {
  if (preparedText?.text !== text) preparedText = { text, key: createSecretKey(text, 'utf8') };
  return preparedText.key;
}

function toBytes(data: Exclude<Bytes, string>): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
