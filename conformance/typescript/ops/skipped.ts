// Ops that are not answered, each with the reason.

export const skipped: Readonly<Record<string, string>> = {};
