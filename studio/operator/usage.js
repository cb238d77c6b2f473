// Page about the usage of the whole server.

import { el } from "../dom.js";
import { usageView } from "../usage-view.js";
import { operatorApi } from "./api.js";
import { frame } from "./frame.js";

export const title = "Usage of the server";

export async function render(root, { path }) {
  frame(root, title, path);
  const view = usageView({ fetch: operatorApi.usage, file: "server-usage", none: () => el("p", {}, "There is no usage in these days.") });
  root.append(...view.elements, el("p", { class: "hint" }, "Usage of all keys, including keys without an account, but not of deleted accounts. Days are UTC days."));
  await view.load();
}
