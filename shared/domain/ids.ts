/**
 * Identifiers: a prefix for the kind and a ULID, whose first ten characters hold the time in milliseconds, so that ids
 * of one kind sort by creation time. Clients treat them as opaque.
 */
export const idPrefixes = {
  customer: 'cus_',
  webhook: 'whe_',
  delivery: 'whd_',
  bulkReplay: 'rpl_',
  event: 'evt_',
  run: 'run_',
  tracker: 'trk_',
  changeReport: 'chg_',
  creator: 'cre_',
  apiKey: 'aky_',
  connection: 'con_',
  portalLink: 'plk_',
  notice: 'ntc_',
  activity: 'act_',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** The digits of an id, in the order in which they sort. */
export const idAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Characters of an id that this service makes: the prefix and 26 digits. */
export const ownIdLength = 30;
/** Number of digits that hold the time. */
export const idTimeLength = 10;
const entropyBytes = 10;

/**
 * Makes an id.
 *
 * @param time epoch milliseconds, below 2^48
 * @param entropy at least 10 bytes, random or derived from the subject of the id
 */
export function makeId(kind: IdKind, time: number, entropy: Uint8Array): string {
  return idPrefixes[kind] + encodeTime(time) + encodeEntropy(entropy);
}

/** The creation time in an id that this service made, epoch milliseconds. */
export function idTime(id: string): number {
  const encoded = id.slice(4, 4 + idTimeLength);
  return [...encoded].reduce((time, character) => time * 32 + idAlphabet.indexOf(character), 0);
}

/** Sorts before every id of the kind that is made at that time or later, and after all earlier ones. */
export function firstIdAt(kind: IdKind, time: number): string {
  return idPrefixes[kind] + encodeTime(time);
}

/** Whether the text has the form of an id that this service makes. */
export function isOwnId(kind: IdKind, text: string): boolean {
  return text.startsWith(idPrefixes[kind]) && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text.slice(4));
}

/**
 * Identifiers that the Run engine makes, for example of Runs and Trackers: the prefix of their kind, then characters
 * that need no escaping in a key or a URL. The maximum length is in characters and includes the prefix.
 */
export const engineIdLength = 128;

export function engineIdForm(kind: IdKind): RegExp {
  return new RegExp(`^${idPrefixes[kind]}[A-Za-z0-9_-]+$`);
}

/** Whether the text has the form of an id that the Run engine makes. */
export function isEngineId(kind: IdKind, text: string): boolean {
  return text.length <= engineIdLength && engineIdForm(kind).test(text);
}

function encodeTime(time: number): string {
  let rest = time;
  let text = '';
  for (let index = 0; index < idTimeLength; index += 1) {
    text = idAlphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** 80 bits as 16 characters of five bits. */
function encodeEntropy(entropy: Uint8Array): string {
  let text = '';
  let [bits, held] = [0, 0];
  for (const byte of entropy.subarray(0, entropyBytes)) {
    bits = (bits << 8) | byte;
    for (held += 8; held >= 5; held -= 5) text += idAlphabet.charAt((bits >> (held - 5)) & 31);
  }
  return text;
}
