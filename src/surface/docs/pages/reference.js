// The page of one service: the library draws its document; the search over operations and the token are ours. The
// token is kept by the tab (sessionStorage), so that it is gone when the tab is.
const root = document.getElementById('reference');
const field = document.getElementById('search');
const told = document.getElementById('found');
const form = document.getElementById('token-form'); // none where no operation asks for credentials
const pasted = document.getElementById('token');
const forget = document.getElementById('forget');
const state = document.getElementById('token-state');
const hint = state?.innerHTML;
const takes = form?.dataset.takes ?? 'token'; // or key
const kept = `cumulet-${takes}`;

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

// The library only searches the names of groups; this searches the operations in them.
function opsFilter(groups, phrase) {
  const words = wordsOf(phrase);
  const fits = (one, tag) => {
    const { operation } = one.toObject();
    const text = [tag, one.get('method'), one.get('path'), operation.get('operationId'), operation.get('summary')];
    const all = text.join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups
    .map((group, tag) =>
      group.set(
        'operations',
        group.get('operations').filter((one) => fits(one, tag)),
      ),
    )
    .filter((group) => group.get('operations').size > 0);
}

// Failures all look the same, so a line each says more than their samples would; the schema stands below.
const response = (Original, { React }) => {
  const h = React.createElement;
  return (props) => {
    if (!(Number(props.code) >= 400)) return h(Original, props);
    const status = h('td', { className: 'response-col_status' }, props.code);
    const words = h('td', { className: 'response-col_description' }, props.response.get('description'));
    return h('tr', { className: 'failure' }, status, words);
  };
};

// The address names the operation that is open. The library could do it, but takes the _ of our ids for a blank.
const show =
  (original) =>
  ([kind, ...place], isShown = true) => {
    if (kind === 'operations' && place.length === 2) {
      const hash = isShown ? `#/${place.join('/')}` : location.pathname;
      history.replaceState(null, '', hash);
    }
    return original([kind, ...place], isShown);
  };

function openNamed() {
  const [, tag, operation] = location.hash.split('/');
  if (operation === undefined) return;
  ui.layoutActions.show(['operations', tag], true);
  ui.layoutActions.show(['operations', tag, operation], true);
  requestAnimationFrame(() => {
    const found = document.getElementById(`operations-${tag}-${operation}`);
    if (found) return found.scrollIntoView();
    // Of many operations only those that are in the window are drawn: then the search leads there.
    field.value = operation;
    search();
  });
}

const scheme = takes === 'key' ? 'key' : 'bearer';
const schema = takes === 'key' ? { type: 'apiKey', in: 'header', name: 'APIKEY' } : { type: 'http', scheme: 'bearer' };

// Whoever changes the token, our form or the library's dialog, both show the same.
const authorize = (original) => (given) => {
  if (given[scheme]) showToken(given[scheme].value);
  return original(given);
};
const logout = (original) => (names) => {
  if (names.includes(scheme)) showToken('');
  return original(names);
};

const nothing = () => null;
const plugin = () => ({
  fn: { opsFilter },
  components: { InfoContainer: nothing, FilterContainer: nothing },
  wrapComponents: { response },
  statePlugins: { layout: { wrapActions: { show } }, auth: { wrapActions: { authorize, logout } } },
});

const ui = window.SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [plugin],
  onComplete: () => {
    document.getElementById('bar').disabled = false; // not before there is something to search and to try
    const token = sessionStorage.getItem(kept);
    if (form && token) useToken(token);
    search();
    openNamed();
  },
});

function search() {
  const phrase = field.value.trim();
  ui.layoutActions.updateFilter(phrase === '' ? false : phrase);
  const groups = ui.specSelectors.taggedOperations();
  const found = phrase === '' ? groups : opsFilter(groups, phrase);
  const count = found.reduce((sum, group) => sum + group.get('operations').size, 0);
  told.textContent = phrase === '' ? `${count} operations` : `${count} found`;
}

const useToken = (value) => ui.authActions.authorize({ [scheme]: { name: scheme, schema, value } });
const forgetToken = () => ui.authActions.logout([scheme]);

function showToken(token) {
  pasted.value = '';
  forget.hidden = token === '';
  pasted.placeholder = token === '' ? `Paste a ${takes} to try the operations` : `A ${takes} is in use; paste another`;
  if (token === '') {
    sessionStorage.removeItem(kept);
    state.innerHTML = hint;
  } else {
    sessionStorage.setItem(kept, token);
    state.textContent = whoIs(token);
  }
}

// What the token says of itself; whether it counts, the region tells with the first call.
function whoIs(token) {
  if (takes === 'key') return 'In use.';
  try {
    const [, claims = ''] = token.split('.');
    const { exp, identity } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')));
    const until = new Date(exp * 1000).toLocaleString();
    return `In use: ${identity.role} of contract ${identity.contractNumber}, valid until ${until}.`;
  } catch {
    return 'In use, but it does not look like a token of this region.';
  }
}

window.addEventListener('hashchange', openNamed);
field.addEventListener('input', search);
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const token = pasted.value.trim().replace(/^Bearer\s+/i, '');
  if (token !== '') useToken(token);
});
forget?.addEventListener('click', () => {
  forgetToken();
  pasted.focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  field.focus();
});
