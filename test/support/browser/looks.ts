export type Look = { readonly width: number; readonly scheme: 'light' | 'dark' };

/** A desk and a phone, each in both schemes. */
const everyLook: readonly Look[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

/** Both widths and both schemes, in half of the time. */
const twoLooks: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

/** The gate looks at pages in two ways, `EVERY_LOOK=1` in all four. */
export const looks = process.env.EVERY_LOOK === '1' ? everyLook : twoLooks;

/** Pixels. */
export const windowHeight = 900;
