import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
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
  readonly #key: Bytes | undefined;
  #data: Uint8Array = Buffer.alloc(0);

  constructor(key?: Bytes) {
    this.#key = key;
  }

  update(data: Bytes): void {
    const bytes = toBytes(data);
    this.#data = this.#data.byteLength === 0 ? bytes : Buffer.concat([this.#data, bytes]);
  }

  async digest(): Promise<Uint8Array> {
    if (this.#key === undefined) return hash('sha256', this.#data, 'buffer');
    if (typeof this.#key === 'string') return digestWithText(this.#key, this.#data);
    return createHmac('sha256', prepare(this.#key)).update(this.#data).digest();
  }

  reset(): void {
    throw new Error('Cannot reset a digest: make another');
  }
}

/**
 * Without a prepared key, Node makes one for each HMAC, which takes longer than the HMAC. The signer passes the same
 * bytes as long as it uses the key of a day.
 */
const prepared = new WeakMap<object, KeyObject>();

function prepare(key: Exclude<Bytes, string>): KeyObject {
  const keyObject = prepared.get(key) ?? createSecretKey(toBytes(key));
  prepared.set(key, keyObject);
  return keyObject;
}

/** For each request, the signer hashes the credentials, to find the key that it made of them. */
let lastDigest: { readonly key: string; readonly data: Uint8Array; readonly digest: Uint8Array } | undefined;

function digestWithText(key: string, data: Uint8Array): Uint8Array {
  if (lastDigest?.key !== key || Buffer.compare(lastDigest.data, data) !== 0) {
    lastDigest = { key, data, digest: createHmac('sha256', key).update(data).digest() };
  }
  return lastDigest.digest;
}

function toBytes(data: Bytes): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
