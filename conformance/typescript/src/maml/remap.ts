// Which column of a file each column of a table reads.

/** A name of the table, and the column of the file that it reads. */
export type RemapPair = readonly [internal: string, external: string];

/** What is wrong with an item. */
export interface RemapProblem {
  /** From 0. */
  readonly position: number;
  readonly message: string;
}

/** The columns of a table, or what is wrong with the items. */
export type Remapped = { readonly pairs: readonly RemapPair[] } | { readonly problems: readonly RemapProblem[] };

function wrongWith(
  [internal, external]: RemapPair,
  given: ReadonlySet<string>,
  counts: ReadonlyMap<string, number>,
): readonly string[] {
  const count = counts.get(external) ?? 0;
  return [
    ...(internal === "" || external === "" ? ["a column has a name"] : []),
    ...(internal !== "" && external !== "" && given.has(internal) ? [`the name ${internal} is given twice`] : []),
    ...(count === 1 || external === "" ? [] : [`the file has ${count} columns ${external}`]),
  ];
}

/**
 * The columns of a table in the order of the file's; a column that items point at goes by their names alone.
 *
 * @param columns names of the file's columns.
 * @param items an internal name and a column of the file each.
 */
export function remapColumns(columns: readonly string[], items: readonly RemapPair[]): Remapped {
  const counts = new Map<string, number>();
  for (const column of columns) counts.set(column, (counts.get(column) ?? 0) + 1);
  const taken = new Set<string>();
  const names = new Map<string, string[]>();
  const problems = items.flatMap((item, position) => {
    const messages = wrongWith(item, taken, counts);
    const [internal, external] = item;
    taken.add(internal);
    names.set(external, [...(names.get(external) ?? []), internal]);
    return messages.map((message) => ({ position, message }));
  });
  if (problems.length > 0) return { problems };
  const pairs = columns.flatMap((column): RemapPair[] => {
    const own = names.get(column);
    if (own !== undefined) return own.map((internal) => [internal, column]);
    return taken.has(column) ? [] : [[column, column]];
  });
  return { pairs };
}
