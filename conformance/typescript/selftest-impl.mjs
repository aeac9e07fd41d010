// The implementation that the self-test is run through.

export const ops = {
  "selftest.identity": ({ answer = null, warnings = [], error }, warn) => {
    if (error) throw Object.assign(new Error(error.message), { code: error.code, at: error.at });
    warnings.forEach(warn);
    return answer;
  },
};
