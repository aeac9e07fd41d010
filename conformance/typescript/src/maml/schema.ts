// The columns of a table to be written.

import type { Field, Maml } from "./record.js";
import type { Problem } from "./problem.js";
import { typeWord, type Size } from "./types.js";
import { checkUser } from "./user.js";

/** A column by its name in the program and in the file. */
export interface SchemaColumn {
  readonly name: string;
  readonly outputName: string;
  /** The word of its type in full. */
  readonly dataType: string;
  readonly colSize: Size;
  /** 1 for other columns than strings. */
  readonly arraySize: Size;
  /** Whether strings are limited to so many characters. */
  readonly isLimited: boolean;
  readonly isProtected: boolean;
  readonly isNullable: boolean;
  /** Whether it is the user's; columns of the base alone are never written. */
  readonly isDeclared: boolean;
  readonly isEnabled: boolean;
}

function columnOf(field: Field, name: string, user: Maml | undefined): SchemaColumn {
  const isString = field.dataType?.base === "string";
  return {
    name,
    outputName: field.name,
    dataType: field.dataType === null ? "" : typeWord(field.dataType),
    colSize: field.colSize,
    arraySize: isString ? field.arraySize : 1,
    isLimited: isString && field.isLimited,
    isProtected: user?.protectedCols.includes(field.name) ?? false,
    isNullable: user?.nullableCols.includes(field.name) ?? false,
    isDeclared: user !== undefined,
    isEnabled: user !== undefined,
  };
}

/** The names of a base that has just the user's columns. */
function ownBase(user: Maml): Set<string> {
  const outputs = new Set(user.colMap.map((rename) => rename.external));
  const kept = user.fields.map((field) => field.name).filter((name) => !outputs.has(name));
  return new Set([...kept, ...user.colMap.map((rename) => rename.internal)]);
}

/**
 * The columns of a user's MAML, then those of the base that the user leaves out; or what contradicts.
 *
 * @param base the MAML that a program knows, if it knows one.
 */
export function makeSchema(
  user: Maml,
  base?: Maml,
): { readonly columns: readonly SchemaColumn[] } | { readonly problems: readonly Problem[] } {
  const names = base === undefined ? ownBase(user) : new Set(base.fields.map((field) => field.name));
  const problems = checkUser(user, names);
  if (problems.length > 0) return { problems };
  const internal = new Map(user.colMap.map((rename) => [rename.external, rename.internal]));
  const own = user.fields.map((field) => columnOf(field, internal.get(field.name) ?? field.name, user));
  const taken = new Set(own.map((column) => column.name));
  const left = base?.fields.filter((field) => !taken.has(field.name)) ?? [];
  return { columns: [...own, ...left.map((field) => columnOf(field, field.name, undefined))] };
}
