export type Look = {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  /** Whether to look for barriers too, which takes a second of the processor. */
  readonly withBarriers: boolean;
};

/** A desk and a phone, each in both schemes. */
const everyLook = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme, withBarriers: true })),
);

/**
 * The ways to look at a view. The gate looks for barriers in one of four ways, which the name chooses, so that views
 * beside each other are seen in different ones; and whether the view fits, also in the other width. `EVERY_LOOK=1`
 * looks at each view in all four.
 */
export function looksAt(name: string): readonly Look[] {
  if (process.env.EVERY_LOOK === '1') return everyLook;
  const sum = [...name].reduce((so, letter) => so + letter.charCodeAt(0), 0);
  const [first] = everyLook.slice(sum % everyLook.length);
  if (first === undefined) return everyLook;
  const [other] = everyLook.filter(({ width, scheme }) => width !== first.width && scheme !== first.scheme);
  return other === undefined ? [first] : [first, { ...other, withBarriers: false }];
}

/** Pixels. */
export const windowHeight = 900;
