// Names that users chose, as a console may show them: one line of what every terminal can draw.

export const printable = (text: string, most: number): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, most);
