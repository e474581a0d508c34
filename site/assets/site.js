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

const search = document.querySelector('#site-search');
search.parentElement.hidden = false;
search.addEventListener('focus', async () => {
  try {
    // Loaded once.
    await import(`./${search.dataset.script}`);
  } catch {
    search.parentElement.querySelector('[role="status"]').textContent =
      'The search did not load. Reload the page to try again.';
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === search) return;
  event.preventDefault();
  search.focus();
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

const contents = [...document.querySelectorAll('.contents a')].map((link) => ({
  link,
  heading: document.getElementById(decodeURIComponent(link.hash.slice(1))),
}));

/** Where a heading stops after a click on its link; at the end of a page, the last ones cannot come that far. */
function readingLine() {
  const page = document.documentElement;
  const isEnd = scrollY > 0 && scrollY + innerHeight > page.scrollHeight - 2;
  return isEnd ? innerHeight : Number.parseFloat(getComputedStyle(page).scrollPaddingTop) + 1;
}

/** Marks the section that is read in the lists of headings. */
function markSection() {
  const line = readingLine();
  const isAbove = ({ heading }) => heading.checkVisibility() && heading.getBoundingClientRect().top <= line;
  const current = contents.findLast(isAbove)?.heading;
  for (const { link, heading } of contents) {
    if ((heading === current) === link.hasAttribute('aria-current')) continue;
    if (heading !== current) link.removeAttribute('aria-current');
    else {
      link.setAttribute('aria-current', 'location');
      bringIntoView(link, link.closest('.pages, .beside'));
    }
  }
}

/** A long list of headings scrolls inside itself, so that the page stays where it is. */
function bringIntoView(link, list) {
  if (list === null) return;
  const [{ top, bottom }, frame] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (top < frame.top || bottom > frame.bottom) list.scrollTop += top - frame.top - frame.height / 2;
}

const chosenTab = 'docs-tab';

/** A browser may forbid a site to store anything. */
function remembered() {
  try {
    return localStorage.getItem(chosenTab);
  } catch {
    return null;
  }
}

function remember(title) {
  try {
    localStorage.setItem(chosenTab, title);
  } catch {
    // The next page shows its first tab.
  }
}

/** Shows one section of a group at a time, below a list of all. */
function makeTabs(group) {
  const list = document.createElement('div');
  list.className = 'tab-list';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', group.dataset.label);
  const panels = [...group.querySelectorAll('.tab')];
  const tabs = panels.map((panel) => tabOf(panel));
  list.append(...tabs);
  group.prepend(list);

  const select = (index) => {
    tabs.forEach((tab, at) => {
      const isSelected = at === index;
      tab.setAttribute('aria-selected', String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      panels[at].hidden = !isSelected;
    });
  };
  const choose = (index) => {
    select(index);
    remember(panels[index].dataset.title);
    tabs[index].focus();
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => choose(index));
    panels[index].addEventListener('reveal', () => select(index));
  });
  list.addEventListener('keydown', (event) => {
    const next = nextTab(event.key, tabs.indexOf(document.activeElement), tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  });
  const wanted = panels.findIndex(({ dataset }) => dataset.title === remembered());
  select(Math.max(wanted, 0));
}

function tabOf(panel) {
  const tab = document.createElement('button');
  tab.type = 'button';
  tab.textContent = panel.dataset.title;
  tab.id = `tab-${panel.querySelector('h2').id}`;
  tab.setAttribute('role', 'tab');
  panel.id = `panel-${panel.querySelector('h2').id}`;
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', tab.id);
  tab.setAttribute('aria-controls', panel.id);
  return tab;
}

function nextTab(key, index, count) {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Shows the section that an anchor of this page is in. */
function reveal(hash) {
  const target = document.getElementById(decodeURIComponent(hash.slice(1)));
  const panel = target?.closest('.tab[hidden]');
  if (panel == null) return;
  panel.dispatchEvent(new Event('reveal'));
  target.scrollIntoView();
}

const groups = document.querySelectorAll('.tabs');
if (groups.length > 0) {
  groups.forEach(makeTabs);
  reveal(location.hash);
  addEventListener('hashchange', () => reveal(location.hash));
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link !== null) reveal(link.getAttribute('href'));
  });
}

if (contents.length > 0) {
  markSection();
  addEventListener('scroll', markSection, { passive: true });
}
