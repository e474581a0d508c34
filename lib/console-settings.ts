import * as z from 'zod';

/** Where the console may be shown. */
export type ConsoleSettings = {
  /** Origins whose pages may show the console in a frame. Default: none. */
  readonly consoleFrameAncestors: readonly string[];
};

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
