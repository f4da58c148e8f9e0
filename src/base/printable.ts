// Foreign text on a console or terminal: one line of printable ASCII.

export const printable = (text: string, most: number): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, most);
