// Pages work without this script.

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
