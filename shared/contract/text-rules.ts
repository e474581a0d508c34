import * as z from 'zod/mini';
import { engineIdLength } from '#shared/domain/ids.ts';

/** XML 1.0 excludes U+FFFE and U+FFFF, and with it SQS. Databases and parsers of JSON refuse half a surrogate pair. */
const ruleWithout = (more = '') => `must be well-formed Unicode without ${more}U+FFFE, U+FFFF and control characters`;

/**
 * A short text that programs compare, such as an identifier.
 *
 * @param signs characters that it must not have either
 * @param named these signs in the words of a fault, with a comma after each
 */
export function machineText(signs = '', named = '') {
  const form = new RegExp(`^[^${signs}\\p{Cc}\\p{Cs}\\uFFFE\\uFFFF]*$`, 'u');
  return z.string().check(z.regex(form, { error: ruleWithout(named), abort: true }));
}

/** A text for people, in which wrong characters are refused, not replaced. */
export const isLabel = () =>
  z.refine<string>(
    (text) => !/[^\P{Cc}\t\n\r]|[\p{Cs}\uFFFE\uFFFF]/u.test(text),
    `${ruleWithout()} other than tabs and line breaks`,
  );

/** An id that names something stored. A longer one than any would not fit into a key of the table. */
export const givenId = () => z.string().check(z.minLength(1), z.maxLength(engineIdLength));
