import * as z from 'zod';

/** Where the console may be shown. */
export type ConsoleSettings = {
  /** Origins whose pages may show the console in a frame. Default: none. */
  readonly consoleFrameAncestors: readonly string[];
};

/** Without a wildcard: a page of any host of the domain could show the console. */
const origin = /^https:\/\/([a-z0-9-]+\.)*[a-z0-9-]+(:\d{1,5})?$/;

export const consoleSettings = {
  consoleFrameAncestors: z
    .string()
    .refine((text) => text.split(',').every((part) => origin.test(part)))
    .optional(),
};

export const expectedConsole: Readonly<Record<keyof ConsoleSettings, string>> = {
  consoleFrameAncestors:
    'https origins, separated by commas without spaces, such as https://portal.example.com',
};

export function consoleOf(given: { readonly consoleFrameAncestors?: string | undefined }): ConsoleSettings {
  return { consoleFrameAncestors: given.consoleFrameAncestors?.split(',') ?? [] };
}

/** The environment variable of the function that serves the console; none when no page may show it in a frame. */
export function consoleValues({ consoleFrameAncestors }: ConsoleSettings): {
  readonly consoleFrameAncestors?: string;
} {
  return consoleFrameAncestors.length === 0 ? {} : { consoleFrameAncestors: consoleFrameAncestors.join(' ') };
}
