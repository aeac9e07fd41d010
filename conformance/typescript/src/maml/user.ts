// A user's MAML against the one that a program knows.

import { Report, type Problem } from "./problem.js";
import type { Maml } from "./record.js";

/** Names of the base, and the renamings and fields of a user, as checkUser needs them. */
export function checkUser(user: Maml, base: ReadonlySet<string>): readonly Problem[] {
  const report = new Report();
  const fields = new Set(user.fields.map((field) => field.name));
  const outputs = new Set(user.colMap.map((rename) => rename.external));
  for (const field of user.fields) {
    if (base.has(field.name) || outputs.has(field.name)) continue;
    report.add(
      "field-unknown",
      ["fields", field.position, "name"],
      field.namePlace,
      `${field.name} is no column of the base`,
    );
  }
  const [internals, externals] = [new Set<string>(), new Set<string>()];
  user.colMap.forEach((rename) => {
    const { internal, external } = rename;
    const isOther = internal !== external;
    const broken = [
      !base.has(internal) && `${internal} is no column of the base`,
      internals.has(internal) && `${internal} is renamed twice`,
      externals.has(external) && `the name ${external} is given twice`,
      !fields.has(external) && `${external} is no field`,
      isOther && fields.has(internal) && `${internal} is a field under its own name too`,
      isOther && base.has(external) && `${external} is another column of the base`,
    ];
    internals.add(internal);
    externals.add(external);
    for (const message of broken) {
      if (message !== false) report.add("col-map", ["extra", "col_map", rename.position], rename, message);
    }
  });
  return report.found();
}
