import { styleText } from 'node:util';

/** The colours of the words that commands print for a state or a result. */
const colours: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  ...{ active: 'green', completed: 'green', delivered: 'green', passed: 'green', verified: 'green' },
  ...{ pending: 'yellow', running: 'yellow' },
  ...{ failed: 'red', 'not verified': 'red' },
};

/** A state or result in its colour, if the stream is a terminal that shows it, or as NO_COLOR and FORCE_COLOR say. */
export function coloured(word: string, stream: NodeJS.WriteStream = process.stdout): string {
  const colour = colours[word];
  return colour === undefined ? word : styleText(colour, word, { stream });
}

/** The text of an error, likewise, for standard error. */
export function errorText(text: string): string {
  return styleText('red', text, { stream: process.stderr });
}
