import { createHash, createHmac, type Hmac, type Hash as NodeHash } from 'node:crypto';
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

class Sha256 {
  readonly #hash: NodeHash | Hmac;

  constructor(key?: Bytes) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', toHashable(key));
  }

  update(data: Bytes): void {
    this.#hash.update(toHashable(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('Cannot reset a digest: make another');
  }
}

function toHashable(data: Bytes): string | Uint8Array {
  if (typeof data === 'string' || data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
