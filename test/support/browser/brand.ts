/** Images and settings of a stage with a brand of its own. */
const image = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 28"><rect width="96" height="28" rx="6" fill="${color}"/></svg>`;

export const brandImages = {
  'acme.svg': image('#0f766e'),
  'acme-dark.svg': image('#5eead4'),
  'icon.svg': image('#134e4a'),
} as const;

export const brandSettings = {
  brandName: 'Acme & Co "Hooks"',
  brandLogo: 'acme.svg',
  brandLogoDark: 'acme-dark.svg',
  brandFavicon: 'icon.svg',
  brandAccent: '#0f766e',
  supportLink: 'https://help.example.com/hooks',
  docsEditUrl: 'https://git.example.com/hooks/edit/main',
  docsFeedbackUrl: 'mailto:docs@example.com',
} as const;
