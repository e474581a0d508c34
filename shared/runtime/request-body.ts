import { limits } from '#shared/contract/limits.ts';
import { invalidRequest } from '#shared/contract/problem.ts';
import { jsonDepth } from './json-depth.ts';

/**
 * Turns a request body into text that is safe to parse: at most 64 KiB of valid UTF-8 without a byte-order mark and
 * without deep nesting.
 *
 * @throws Problem `invalid_request`
 */
export function decodeRequestBody(body: string, isBase64Encoded: boolean): string {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > limits.requestBodyBytes) {
    throw invalidRequest('', `The body must have at most ${limits.requestBodyBytes} bytes`);
  }
  const text = decodeUtf8(bytes);
  if (jsonDepth(text) > limits.requestBodyDepth) {
    throw invalidRequest('', `The body must be nested at most ${limits.requestBodyDepth} levels deep`);
  }
  return text;
}

function decodeUtf8(bytes: Uint8Array): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw invalidRequest('', 'The body must not begin with a byte-order mark');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('', 'The body must be encoded in UTF-8');
  }
}
