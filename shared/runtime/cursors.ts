import { createCipheriv, createDecipheriv } from 'node:crypto';
import { limits } from '#shared/contract/limits.ts';
import { invalidRequest } from '#shared/contract/problem.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { CursorScope, Cursors } from '#shared/operations/paging.ts';

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

type Deps = Pick<Needs, 'randomBytes'> & {
  /** 32 bytes, one secret per deployment. */
  readonly readSecret: () => Promise<Uint8Array>;
};

/**
 * Cursors: `base64url(version ‖ nonce ‖ AES-256-GCM(position) ‖ tag)`, with the list, its owner, its parent and its
 * filters as associated data. Any text that was not sealed for exactly this scope is refused with the same error.
 */
export function createCursors(deps: Deps): Cursors {
  let secret: Promise<Uint8Array> | undefined;
  const readSecret = (): Promise<Uint8Array> => {
    secret ??= deps.readSecret().catch((error: unknown) => {
      secret = undefined;
      throw error;
    });
    return secret;
  };
  return {
    seal: async (scope, position) => sealPosition(await readSecret(), deps.randomBytes(nonceBytes), scope, position),
    open: async (scope, cursor) => {
      const position = openPosition(await readSecret(), scope, cursor);
      if (position === null)
        throw invalidRequest(
          '?cursor',
          '`cursor` is not valid: send a `next_cursor` of this list with the same filters',
        );
      return position;
    },
  };
}

function sealPosition(secret: Uint8Array, nonce: Uint8Array, scope: CursorScope, position: string): string {
  const cipher = createCipheriv('aes-256-gcm', secret, nonce);
  cipher.setAAD(associatedData(scope));
  const sealed = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

function openPosition(secret: Uint8Array, scope: CursorScope, cursor: string): string | null {
  if (cursor.length > limits.cursorLength) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding is lenient; only the canonical text is a cursor.
  if (bytes.toString('base64url') !== cursor) return null;
  if (bytes[0] !== version || bytes.length <= 1 + nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(1, 1 + nonceBytes));
  decipher.setAAD(associatedData(scope));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const sealed = bytes.subarray(1 + nonceBytes, -tagBytes);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function associatedData(scope: CursorScope): Buffer {
  return Buffer.from(JSON.stringify([version, ...scope]));
}
