import { openSearch } from '../search/find.ts';

const root = new URL('../../', import.meta.url);
const field = document.querySelector('#site-search');
const list = document.querySelector('#site-found');
const status = field.parentElement.querySelector('[role="status"]');

/** A page loads this script when a reader first goes to the field. */
export function startSearch(sections) {
  const find = openSearch(sections);
  const show = () => {
    const query = field.value.trim();
    const found = query === '' ? [] : find(query);
    list.replaceChildren(...found.map(optionOf));
    list.parentElement.scrollTop = 0;
    status.textContent = query === '' ? '' : summary(found.length, query);
    expand();
    choose(list.firstElementChild);
  };
  const leave = () => {
    field.value = '';
    show();
    field.blur();
  };
  field.addEventListener('input', show);
  field.addEventListener('focus', expand);
  field.addEventListener('blur', () => field.setAttribute('aria-expanded', 'false'));
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || !['ArrowDown', 'ArrowUp', 'Enter', 'Escape'].includes(event.key)) return;
    event.preventDefault();
    const chosen = list.querySelector('[aria-selected="true"]');
    if (event.key === 'ArrowDown') choose(chosen?.nextElementSibling ?? list.firstElementChild);
    if (event.key === 'ArrowUp') choose(chosen?.previousElementSibling ?? list.lastElementChild);
    if (event.key === 'Enter') chosen?.click();
    if (event.key === 'Escape') leave();
  });
  // The field keeps the focus while a result is pressed, or the list would be gone before the click.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', () => field.blur());
  show();
}

function expand() {
  field.setAttribute('aria-expanded', String(list.childElementCount > 0));
}

function choose(option) {
  list.querySelector('[aria-selected="true"]')?.setAttribute('aria-selected', 'false');
  option?.setAttribute('aria-selected', 'true');
  option?.scrollIntoView({ block: 'nearest' });
  if (option === null) field.removeAttribute('aria-activedescendant');
  else field.setAttribute('aria-activedescendant', option.id);
}

function summary(count, query) {
  if (count === 0) return `No results for “${query}”`;
  return count === 1 ? '1 result' : `${count} results`;
}

function optionOf({ address, page, heading, excerpt }, index) {
  const option = element('a', '', element('strong', heading || page));
  option.href = new URL(address, root);
  option.id = `site-found-${index}`;
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  if (heading !== '') option.append(element('small', page));
  option.append(element('span', '', ...excerpt.map(({ text, isMatch }) => (isMatch ? element('mark', text) : text))));
  return option;
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  made.append(text, ...children);
  return made;
}
