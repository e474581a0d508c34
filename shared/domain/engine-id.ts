import { type IdKind, idPrefixes } from './ids.ts';

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
