// Runs inside a page (see window.ts) and finds barriers: everything that makes the page hard to read or use.
// biome-ignore-all lint/correctness/noUnusedVariables: the page calls it

function findBarriers() {
  return [...paleTexts(), ...nameless(), ...tooWide(), ...outOfOrder()];
}

const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const described = (element) =>
  `${element.tagName.toLowerCase()}.${element.className} "${element.textContent.trim().slice(0, 40)}"`;

// Required contrast: 4.5 to 1, or 3 to 1 for large text. Disabled elements are exempt.
function paleTexts() {
  const texts = [...document.querySelectorAll('body *')].filter(
    (element) =>
      isShown(element) &&
      !element.matches('.unseen, .unseen *, .skip, :disabled, option, script, noscript, noscript *, title') &&
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== ''),
  );
  return texts.flatMap((element) => {
    const style = getComputedStyle(element);
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = contrast(numbersOf(style.color), groundOf(element));
    return ratio < (isLarge ? 3 : 4.5) ? [`pale (${ratio.toFixed(2)}): ${described(element)}`] : [];
  });
}

const numbersOf = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);

function groundOf(element) {
  for (let one = element; one; one = one.parentElement) {
    const [red, green, blue, alpha = 1] = numbersOf(getComputedStyle(one).backgroundColor);
    if (alpha > 0.99) return [red, green, blue];
  }
  return [255, 255, 255];
}

function contrast(one, other) {
  const [dark, light] = [brightness(one), brightness(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function brightness([red, green, blue]) {
  const linear = (value) => (value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function nameless() {
  const controls = [...document.querySelectorAll('a, button, input, select, textarea, dialog, nav, table')];
  return controls
    .filter((element) => isShown(element) && nameOf(element) === '')
    .map((one) => `nameless: ${described(one)}`);
}

function nameOf(element) {
  const by = element.getAttribute('aria-labelledby');
  const labels = element.labels ? [...element.labels] : by ? [document.getElementById(by)] : [];
  const own = element.matches('a, button') ? element.textContent : (element.caption?.textContent ?? '');
  return `${element.getAttribute('aria-label') ?? ''}${labels.map((label) => label?.textContent ?? '').join('')}${own}`.trim();
}

function tooWide() {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [`${scrollWidth} wide in a window of ${clientWidth}`] : [];
}

// Requires one main element, one h1, unique ids, and no positive tabindex.
function outOfOrder() {
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  return [
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `the id ${id} appears twice`),
    ...['main', 'h1'].filter((name) => document.querySelectorAll(name).length !== 1).map((name) => `not one ${name}`),
    ...[...document.querySelectorAll('[tabindex]')].filter(({ tabIndex }) => tabIndex > 0).map(described),
    ...(document.documentElement.lang ? [] : ['no language']),
    ...(document.title ? [] : ['no title']),
  ];
}
