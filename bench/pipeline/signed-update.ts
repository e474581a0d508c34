import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const contentType = 'application/x-amz-json-1.0';
const action = 'DynamoDB_20120810.UpdateItem';
const signedHeaders = 'content-type;host;x-amz-date;x-amz-target';

/**
 * Signs UpdateItem requests with AWS Signature Version 4, and does nothing else: the least that a client of the table
 * can do. The derived key is kept, as it is valid for a day.
 */
export class UpdateSigner {
  readonly #host: string;
  readonly #day: string;
  readonly #scope: string;
  readonly #key: KeyObject;

  constructor({ host, region, now }: { readonly host: string; readonly region: string; readonly now: Date }) {
    this.#host = host;
    this.#day = stamp(now).slice(0, 8);
    this.#scope = `${this.#day}/${region}/dynamodb/aws4_request`;
    const parts = [this.#day, region, 'dynamodb', 'aws4_request'];
    this.#key = parts.reduce(deriveKey, createSecretKey(Buffer.from('AWS4local')));
  }

  headers(body: string, now: Date): Record<string, string> {
    const time = stamp(now);
    const canonical =
      `POST\n/\n\ncontent-type:${contentType}\nhost:${this.#host}\nx-amz-date:${time}\nx-amz-target:${action}\n\n` +
      `${signedHeaders}\n${sha256(body)}`;
    const toSign = `AWS4-HMAC-SHA256\n${time}\n${this.#scope}\n${sha256(canonical)}`;
    const signature = createHmac('sha256', this.#key).update(toSign).digest('hex');
    return {
      'Content-Type': contentType,
      Host: this.#host,
      'X-Amz-Date': time,
      'X-Amz-Target': action,
      'Content-Length': String(Buffer.byteLength(body)),
      Authorization:
        `AWS4-HMAC-SHA256 Credential=local/${this.#scope}, SignedHeaders=${signedHeaders}, ` +
        `Signature=${signature}`,
    };
  }
}

/** `20260131T235959Z`. */
function stamp(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function deriveKey(key: KeyObject, text: string): KeyObject {
  return createSecretKey(createHmac('sha256', key).update(text).digest());
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
