import * as z from 'zod/mini';

/** XML 1.0 excludes U+FFFE and U+FFFF, and with it SQS. Databases and parsers of JSON refuse half a surrogate pair. */
const rule = (signs: string) => {
  const named = [...signs].map((sign) => `\`${sign}\`, `).join('');
  return `must be well-formed Unicode without ${named}U+FFFE, U+FFFF and control characters`;
};

/** A short text that programs compare, such as an identifier. @param signs characters that it must not have either */
export function machineText(signs = '') {
  const form = new RegExp(`^[^${signs}\\p{Cc}\\p{Cs}\\uFFFE\\uFFFF]*$`, 'u');
  return z.string().check(z.regex(form, { error: rule(signs), abort: true }));
}

/** A text for people that is refused, not changed, when its characters are wrong. */
export const isLabel = z.refine<string>(
  (text) => !/[^\P{Cc}\t\n\r]|[\p{Cs}\uFFFE\uFFFF]/u.test(text),
  `${rule('')} other than tabs and line breaks`,
);
