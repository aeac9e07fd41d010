// Levels of a pyramid.

export { blockMeanTranslation, checkPyramid, type Misplaced, type PlacedLevel } from "./check.js";
export { checkLevels, finest, type Level, LEVEL_MODES, listedLevels, selectLevel } from "./select.js";
