import { limits } from '#shared/contract/limits.ts';
import { invalidRequest } from '#shared/contract/problem.ts';

/**
 * Turns a request body into text that is safe to parse: at most 64 KiB of valid UTF-8 without a byte-order mark,
 * not nested too deep. Everything else is the caller's fault.
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
    throw invalidRequest('', 'The body must be UTF-8');
  }
}

/**
 * The deepest nesting of arrays and objects, without parsing: brackets inside strings do not count. A string that
 * never ends goes to the end of the text, so that no character is looked at twice.
 */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token[0] === '[' || token[0] === '{') depth += 1;
    else if (token[0] === ']' || token[0] === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
