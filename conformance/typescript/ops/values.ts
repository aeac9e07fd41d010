// The encodings of the suite: the very classes that its runner decodes with and compares by.

export { ArrayValue, Text, type Element, storeBytes } from "worldarray-conformance/values";
