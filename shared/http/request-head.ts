import type { EndpointUrl } from '#shared/domain/endpoint-url.ts';
import type { Headers } from '#shared/operations/ports.ts';

const name = /^[\w!#$%&'*+.^`|~-]+$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The request line and headers of a POST, as bytes. Names and values stay as given.
 *
 * @throws Error when a header would break the request
 */
export function requestHead({ path, host }: EndpointUrl, headers: Headers, bodyLength: number): Buffer {
  const all = {
    Host: host,
    ...headers,
    // Some firewalls refuse a request without it.
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'Content-Length': String(bodyLength),
    Connection: 'keep-alive',
  };
  for (const [key, text] of Object.entries(all)) {
    if (!name.test(key) || !value.test(text)) throw new Error(`Invalid character in the header ${JSON.stringify(key)}`);
  }
  const lines = Object.entries(all).map(([key, text]) => `${key}: ${text}`);
  return Buffer.from([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1');
}
