// A store held in memory, and the paths in it.

/** Keys, such as `em.zarr/s0/.zarray`, to bytes. */
export type Store = ReadonlyMap<string, Uint8Array>;

/** A store from an object of keys to bytes. */
export const storeOf = (bytes: Readonly<Record<string, Uint8Array>>): Store => new Map(Object.entries(bytes));

/** The parts of a path that name something: `./s0/` is s0. */
export const pathParts = (path: string): readonly string[] =>
  path.split("/").filter((part) => part !== "" && part !== ".");

/** A path in its shortest form; a `precomputed://` prefix is dropped. */
export const shortPath = (path: string): string => pathParts(path.replace(/^precomputed:\/\//, "")).join("/");

/** The path of something in a folder. */
export const joined = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/** The folder that a short path lies in; "" for one part. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The last part of a short path. */
export const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The folders above a path, the nearest first, never the root of the store. */
export function ancestorsOf(path: string, count: number): readonly string[] {
  const found: string[] = [];
  for (let folder = parentOf(path); folder !== "" && found.length < count; folder = parentOf(folder))
    found.push(folder);
  return found;
}

/** The names of the keys below a folder, without the folder. */
export function keysBelow(store: Store, folder: string): readonly string[] {
  const prefix = `${folder}/`;
  return [...store.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
}
