import { nearest } from '#shared/contract/nearest.ts';
import type { RequestFault } from '#shared/contract/problem-codes.ts';

/** A query string may have thousands of names. */
const maxFaults = 10;

/** Names that cannot be a key, a secret or a token: all of these are longer. */
const repeatable = /^[\w.[\]-]{1,32}$/;

/** One fault for each query parameter that the operation does not take, with the name that was probably meant. */
export function unknownParameters(
  names: readonly string[],
  known: readonly string[],
): readonly RequestFault[] {
  return names
    .filter((name) => !known.includes(name))
    .slice(0, maxFaults)
    .map((name) => (repeatable.test(name) ? named(name, known) : unnamed(known)));
}

function named(name: string, known: readonly string[]): RequestFault {
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : ` (did you mean \`${meant}\`?)`;
  return {
    pointer: `?${name}`,
    detail: `Unknown query parameter \`${name}\`${hint}: ${allowed(known)}`,
  };
}

function unnamed(known: readonly string[]): RequestFault {
  return { pointer: '?', detail: `Unknown query parameter: ${allowed(known)}` };
}

function allowed(known: readonly string[]): string {
  if (known.length === 0) return 'this operation takes none';
  return `this operation takes ${known.map((name) => `\`${name}\``).join(', ')}`;
}
