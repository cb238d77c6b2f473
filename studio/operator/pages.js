// The pages for operators. Other users do not load them.

import * as accounts from "./accounts.js";
import * as health from "./health.js";
import * as promos from "./promos.js";
import * as usage from "./usage.js";

export const pages = { accounts, promos, usage, health };
