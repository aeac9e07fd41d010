// Which column of a file each column of a table reads.

/** A name of the table, and the column of the file that it reads. */
export type RemapPair = readonly [internal: string, external: string];

/** What is wrong with an item. */
export interface RemapProblem {
  /** From 0. */
  readonly position: number;
  readonly message: string;
}

export type Remapped = { readonly pairs: readonly RemapPair[] } | { readonly problems: readonly RemapProblem[] };

function wrongWith(item: RemapPair, before: readonly RemapPair[], columns: readonly string[]): string | undefined {
  const [internal, external] = item;
  if (internal === "") return "a column of the table has a name";
  if (before.some((other) => other[0] === internal)) return `the name ${internal} is given twice`;
  const count = columns.filter((column) => column === external).length;
  return count === 1 ? undefined : `the file has ${count} columns ${external}`;
}

/**
 * The columns of a table in the order of the file's; a column that items point at goes by their names alone.
 *
 * @param columns names of the file's columns.
 * @param items an internal name and a column of the file each.
 */
export function remapColumns(columns: readonly string[], items: readonly RemapPair[]): Remapped {
  const problems = items.flatMap((item, position) => {
    const message = wrongWith(item, items.slice(0, position), columns);
    return message === undefined ? [] : [{ position, message }];
  });
  if (problems.length > 0) return { problems };
  const taken = new Set(items.map(([internal]) => internal));
  const pairs = columns.flatMap((column): RemapPair[] => {
    const own = items.filter(([, external]) => external === column);
    if (own.length > 0) return own.map(([internal, external]) => [internal, external]);
    return taken.has(column) ? [] : [[column, column]];
  });
  return { pairs };
}
