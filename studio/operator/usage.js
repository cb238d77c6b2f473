// Usage of the whole server.

import { el } from "../dom.js";
import { usageView } from "../usage-view.js";
import { operatorApi } from "./api.js";
import { frame } from "./frame.js";

export const title = "Usage of the server";

export async function render(root, { path }) {
  frame(root, title, path);
  const view = usageView({ fetch: operatorApi.usage, file: "server-usage", none: () => el("p", {}, "Nothing was spoken in these days.") });
  root.append(...view.elements, el("p", { class: "hint" }, "Of all keys, those of no account included; what accounts that were deleted since had spoken is not in it. Days are those of UTC."));
  await view.load();
}
