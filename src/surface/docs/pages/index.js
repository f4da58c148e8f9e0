// Search over the operations of all services, in the list that the page came with.
const field = document.getElementById('search');
const told = document.getElementById('found');
const list = document.querySelector('.cards');
const cards = [...document.querySelectorAll('.card')].map((card) => ({
  card,
  details: card.querySelector('details'),
  operations: [...card.querySelectorAll('.operations > li')].map((item) => ({
    item,
    text: `${card.dataset.service} ${item.firstChild.hash} ${item.textContent}`.toLowerCase(),
  })),
}));

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const isSearching = words.length > 0;
  let found = 0;
  for (const { card, details, operations } of cards) {
    let here = 0;
    for (const { item, text } of operations) {
      const fits = words.every((word) => text.includes(word));
      item.hidden = !fits;
      if (fits) here++;
    }
    card.hidden = here === 0;
    details.open = isSearching;
    found += here;
  }
  list.classList.toggle('searching', isSearching);
  told.textContent = isSearching ? `${found} found` : '';
}

field.addEventListener('input', search);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea')) return;
  event.preventDefault();
  field.focus();
});
search();
