import MiniSearch from 'minisearch';
import type { Section } from './sections.ts';

export type Found = Omit<Section, 'text'> & {
  /** Text around the first match, in pieces. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
};

/** Results that a reader looks through. */
const mostResults = 10;

/** Words of questions that say nothing about the subject. They count only in a query that has no others. */
const fillers = new Set('a all are can do does for how i if in is it long my of on take the to what when'.split(' '));

/** Words for the same thing: a reader knows those of another product. */
const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  [
    'replay resend redeliver redelivery retrigger',
    'pause suspend disable mute',
    'change edit update modify',
    'filter subscribe subscription',
    'duplicate dedupe deduplicate idempotency twice',
    'signature hmac sign',
    'credential token',
    'failing_since alert alarm notification',
    'figures stats statistics metrics analytics',
    'activity audit',
    'addresses ip allowlist whitelist',
    'handshake challenge ping',
    'rotate roll rollover',
    'console dashboard portal',
    'customer tenant application',
    'limit quota throttle throttling',
  ].flatMap((line) => {
    const words = line.split(' ');
    return words.map((word) => [word, words] as const);
  }),
);

const separators = /([\p{Z}\p{P}\p{S}\s]+)/u;

/**
 * Makes the index of all sections. A section is found by words of its text, its headings and its address: the beginning
 * of a word is enough, and a long word may have a wrong letter.
 *
 * @returns the search: sections that have all words of a query, or else those that have some, the best first
 */
export function openSearch(sections: readonly Section[]): (query: string) => readonly Found[] {
  const index = new MiniSearch({
    fields: ['heading', 'page', 'address', 'text'],
    tokenize: wordsOf,
    searchOptions: {
      boost: { heading: 4, page: 2, address: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return (query) => {
    // The text of an operation begins with its method and path, and that of a problem with its code.
    const boostDocument = (id: number) =>
      sections[id]?.text.toLowerCase().startsWith(`${query.toLowerCase()} `) ? 4 : 1;
    const telling = wordsOf(query).filter((word) => !fillers.has(word.toLowerCase()));
    const queries = (telling.length > 0 ? telling : wordsOf(query)).map(withSynonyms);
    const strict = index.search({ queries, combineWith: 'AND' }, { boostDocument });
    const found = strict.length > 0 ? strict : index.search({ queries, combineWith: 'OR' });
    return found.slice(0, mostResults).flatMap(({ id, terms }) => {
      const section = sections[id];
      if (section === undefined) return [];
      const { text, ...place } = section;
      return [{ ...place, excerpt: excerptOf(text, new Set(terms)) }];
    });
  };
}

/** A word or others for the same thing, which count less. The last word of a query may be its beginning only. */
function withSynonyms(word: string, position: number, words: readonly string[]) {
  const typed = { queries: [word], prefix: word.length > 2 || position === words.length - 1 };
  const others = synonyms.get(word.toLowerCase())?.filter((other) => other !== word.toLowerCase()) ?? [];
  const same = { queries: [...others], boostTerm: () => 0.3, fuzzy: false, prefix: false };
  return { queries: others.length === 0 ? [typed] : [typed, same], combineWith: 'OR' as const };
}

function wordsOf(text: string): string[] {
  return text.split(separators).filter((word) => !separators.test(word));
}

/** Pieces before the first match, and in all. Every second piece is a word. */
const [before, most] = [12, 64];

function excerptOf(text: string, terms: ReadonlySet<string>): Found['excerpt'] {
  const pieces = text.split(separators).map((piece) => ({ text: piece, isMatch: terms.has(piece.toLowerCase()) }));
  const start = Math.max(0, pieces.findIndex(({ isMatch }) => isMatch) - before);
  const shown = pieces.slice(start, start + most);
  return start === 0 ? shown : [{ text: '… ', isMatch: false }, ...shown];
}
