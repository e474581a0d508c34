import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Brand } from '../../site/brand.ts';
import { contrastFault, paletteOf, readable } from './brand-colors.ts';
import type { SettingName, Settings } from './settings.ts';

/** Settings of the published pages. Those of the package for CDK apps are built into it. */
export const settingsOfPages = [
  'brandName',
  'brandLogo',
  'brandLogoDark',
  'brandFavicon',
  'brandAccent',
  'brandAccentDark',
  'supportLink',
  'docsEditUrl',
  'docsFeedbackUrl',
] as const satisfies readonly SettingName[];

type Given = Pick<Settings, (typeof settingsOfPages)[number]>;

/** A larger image delays every page. */
const maxImageBytes = 100_000;

/** Says which settings of the brand miss another one, and which colours cannot be read. */
export function brandFaults(given: Given): readonly string[] {
  const { brandLogo, brandLogoDark, brandAccent, brandAccentDark } = given;
  const faults: string[] = [];
  if (brandLogoDark !== undefined && brandLogo === undefined)
    faults.push('brandLogoDark is set without brandLogo; set both, or brandLogo only');
  if (brandAccentDark !== undefined && brandAccent === undefined)
    faults.push('brandAccentDark is set without brandAccent; set both, or brandAccent only');
  const light = brandAccent && contrastFault(brandAccent, 'light');
  const dark = brandAccentDark && contrastFault(brandAccentDark, 'dark');
  if (light) faults.push(`brandAccent is ${brandAccent}: ${light}`);
  if (dark) faults.push(`brandAccentDark is ${brandAccentDark}: ${dark}`);
  return faults;
}

/**
 * What the settings of a stage make of the published pages.
 *
 * @param folder folder of the images
 * @returns `undefined` when no setting changes them
 * @throws Error that names the setting, when an image is missing or cannot be used
 */
export function readBrand(given: Given, folder: string): Brand | undefined {
  const { brandAccent, brandAccentDark, brandName: name, supportLink } = given;
  const image = (key: 'brandLogo' | 'brandLogoDark' | 'brandFavicon') => readImage(key, given[key], folder);
  const brand: Brand = {
    name,
    logo: image('brandLogo'),
    logoDark: image('brandLogoDark'),
    favicon: image('brandFavicon'),
    colors: brandAccent === undefined ? undefined : colorsOf(brandAccent, brandAccentDark),
    supportLink,
    editUrl: given.docsEditUrl,
    feedbackUrl: given.docsFeedbackUrl,
  };
  return Object.values(brand).every((part) => part === undefined) ? undefined : brand;
}

/** Without a colour for dark pages, the one for light pages is made lighter until it can be read. */
function colorsOf(accent: string, dark = readable(accent, 'dark')): Brand['colors'] {
  return { light: paletteOf(accent, 'light'), dark: paletteOf(dark, 'dark') };
}

function readImage(key: string, file: string | undefined, folder: string): string | undefined {
  if (file === undefined) return undefined;
  const text = textOf(join(folder, file));
  const fault = text === undefined ? 'the file does not exist in the folder stages; add it' : faultOfImage(text);
  if (fault !== undefined) throw new Error(`${key} is ${file}: ${fault}`);
  return text;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function faultOfImage(text: string): string | undefined {
  if (!/<svg[\s>]/.test(text)) return 'it is no SVG; convert the image to SVG';
  if (Buffer.byteLength(text) > maxImageBytes)
    return `it has more than ${maxImageBytes} bytes; remove what does not show, or use a simpler image`;
  if (/<script|<foreignObject|\son\w+\s*=/i.test(text)) return 'it contains a script; remove it';
  const isElsewhere = /(href|src)\s*=\s*["']\s*(https?:)?\/\/|url\(\s*["']?\s*(https?:)?\/\/|@import/i.test(text);
  return isElsewhere ? 'it loads something from another host; embed it in the file' : undefined;
}
