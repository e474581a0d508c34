import type { Palette } from '../../site/brand.ts';

type Scheme = 'light' | 'dark';
type Channels = readonly [number, number, number];

/** WCAG AA asks for this contrast of text. */
const leastContrast = 4.5;

/** What the stylesheets of the documentation and the console put below links, and on buttons. A test compares them. */
export const grounds = {
  light: ['#ffffff', '#f6f7f9', '#f7f8fa', '#f8f9fc'],
  dark: ['#0d1117', '#151b24', '#1a212c'],
} as const;
export const onAccent = { light: '#ffffff', dark: '#10142a' } as const;

/** What a colour is mixed with until it can be read. */
const clearer = { light: '#000000', dark: '#ffffff' } as const;

/** The colours that follow from an accent colour. */
export function paletteOf(accent: string, scheme: Scheme): Palette {
  return scheme === 'light'
    ? { accent, soft: mixed(accent, '#ffffff', 0.92), strong: mixed(accent, '#000000', 0.2) }
    : { accent, soft: mixed(accent, '#151b24', 0.86), strong: mixed(accent, '#ffffff', 0.4) };
}

/** Says which contrast of an accent colour is too low, and which colour would do; `undefined` when all are enough. */
export function contrastFault(accent: string, scheme: Scheme): string | undefined {
  const worst = worstContrast(accent, scheme);
  if (worst.ratio >= leastContrast) return undefined;
  const ratio = Math.floor(worst.ratio * 100) / 100;
  return (
    `${worst.text} on ${worst.ground} has a contrast of ${ratio}:1, and WCAG AA asks for ${leastContrast}:1; ` +
    `choose a ${scheme === 'light' ? 'darker' : 'lighter'} colour, such as ${readable(accent, scheme)}`
  );
}

/** The colour itself, or the nearest mixture with black or white that can be read. */
export function readable(accent: string, scheme: Scheme): string {
  const steps = Array.from({ length: 21 }, (_, step) => mixed(accent, clearer[scheme], step / 20));
  const isEnough = (color: string) => worstContrast(color, scheme).ratio >= leastContrast;
  return steps.find(isEnough) ?? clearer[scheme];
}

function worstContrast(accent: string, scheme: Scheme) {
  const { soft, strong } = paletteOf(accent, scheme);
  const pairs = [
    ...[...grounds[scheme], soft].map((ground) => ({ text: accent, ground })),
    ...[accent, strong].map((ground) => ({ text: onAccent[scheme], ground })),
  ];
  const measured = pairs.map((pair) => ({ ...pair, ratio: contrast(pair.text, pair.ground) }));
  return measured.reduce((worst, each) => (each.ratio < worst.ratio ? each : worst));
}

/** By WCAG 2: from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** @param share of the other colour, from 0 to 1 */
function mixed(color: string, other: string, share: number): string {
  const [from, to] = [channels(color), channels(other)];
  const parts = from.map((channel, index) => Math.round(channel * (1 - share) + (to[index] ?? 0) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function channels(color: string): Channels {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
