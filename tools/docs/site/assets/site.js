// Pages work without this script.

/** The address of the API: it serves this site. */
const ownAddress = document.currentScript.src.replace(/\/docs\/assets\/[^/]*$/, '');
const exampleAddress = 'https://api.example.com';

/** Lets examples work when they are copied. */
function showOwnAddress() {
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.data.includes(exampleAddress) || text.parentElement.closest('code') === null) continue;
    text.data = text.data.replaceAll(exampleAddress, ownAddress);
  }
}

// A site that is opened from a folder knows no API.
if (/^https?:/.test(ownAddress)) showOwnAddress();

const pages = document.querySelector('#site-pages');
pages?.addEventListener('click', (event) => {
  // A link to a heading of this page leaves the menu of a phone open.
  if (event.target.closest('a[href^="#"]') !== null && pages.matches(':popover-open')) pages.hidePopover();
});

for (const block of document.querySelectorAll('.code')) {
  const code = block.querySelector('code');
  if (code === null || navigator.clipboard === undefined) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not copied';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  block.append(button);
}
