// @ts-check
/** Script of the page of an error in place of a chart: offers the changes of the user that were not saved in it. */

import { showKeptChanges } from "./kept-changes.js";
import { getText } from "./texts.js";
import { describeError, findElement, showToast } from "./ui.js";

const { doc = "", user = "" } = findElement("#lost-chart").dataset;
const describe = (/** @type {{ time: string, title: string }} */ changes) => getText("saving.keptOfLost", changes);
// The clock of the device can be wrong, so that nothing is outdated without the time of the server.
showKeptChanges({ userId: user, id: doc }, 0, describe).catch((error) => showToast(describeError(error), { isError: true }));
