import { NewTab } from './values.tsx';

/** What the settings of the stage put into the page: attributes of the element that the console fills. */
function given(): DOMStringMap {
  return document.getElementById('console')?.dataset ?? {};
}

const brandName = (): string => given().name ?? 'Webhooks';

/** The title of the window. @param view what it shows */
export function showTitle(view: string): void {
  document.title = `${view} · ${brandName()}`;
}

/** The logo, or the name where the stage has none. */
export function BrandMark() {
  const { logo, logoDark } = given();
  if (logo === undefined) return <>{brandName()}</>;
  return (
    <picture>
      {logoDark !== undefined && <source srcset={logoDark} media="(prefers-color-scheme: dark)" />}
      <img class="logo" src={logo} alt={brandName()} />
    </picture>
  );
}

/** Where the operator of the stage helps; nothing where no setting says it. */
export function SupportLink() {
  const { support } = given();
  if (support === undefined) return null;
  return support.startsWith('mailto:') ? <a href={support}>Support</a> : <NewTab href={support}>Support</NewTab>;
}
