// Requests that the pages for operators send.

import { request } from "../api.js";

const about = (action) => (email, more = {}) => request("POST", `operator/accounts/${action}`, { email, ...more });

export const operatorApi = {
  accounts: (part, after) => request("POST", "operator/accounts/search", { part, after }),
  invite: (email) => request("POST", "operator/accounts", { email }),
  lock: about("lock"),
  unlock: about("unlock"),
  resetPassword: about("reset-password"),
  deleteAccount: about("delete"),
  promos: async () => (await request("GET", "operator/promos")).promos,
  createPromo: (wanted) => request("POST", "operator/promos", wanted),
  endPromo: (code) => request("POST", "operator/promos/end", { code }),
  usage: (from, to) => request("GET", `operator/usage?${new URLSearchParams({ from, to })}`),
  health: () => request("GET", "operator/health"),
};
