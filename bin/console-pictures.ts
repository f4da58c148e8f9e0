// Pictures of every page of the console, in light and dark, wide and narrow, and a contact sheet of them all:
// `node bin/console-pictures.ts FOLDER`. It starts a region of its own and fills it.
