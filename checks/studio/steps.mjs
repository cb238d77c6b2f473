// Steps of a check in the browser. Each step prints its result; the last line is the overall result.

let failures = 0;

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

// Runs a step and prints its name, with the value that the step returns.
export async function step(name, work) {
  const begun = performance.now();
  try {
    const found = await work();
    console.log(`ok    ${name}${found ? `: ${found}` : ""} (${Math.round(performance.now() - begun)} ms)`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}: ${error.stack}`);
  }
}

// Ends the browser and the process, with exit code 1 if a step failed.
export function finish(browser, what = "studio") {
  browser.close();
  console.log(failures === 0 ? `${what}: all held` : `${what}: ${failures} FAILED`);
  process.exit(failures === 0 ? 0 : 1);
}

// Opens a page through its link in the navigation or in the account's menu.
export async function visit(page, path, heading) {
  await page.run((to) => {
    document.querySelector("h1").remove(); // so that the heading of the old page is not mistaken for the next one
    document.querySelector(`header a[href="${to}"]`).click();
  }, path);
  await page.heading(heading);
}

// Checks that the console shows nothing except refused requests, and that no requests went to other hosts.
export function checkQuiet(page, base) {
  const odd = page.complaints.filter(
    (text) =>
      !/^Failed to load resource: the server responded with a status of 4\d\d/.test(text) &&
      !text.includes("ScriptProcessorNode"),
  );
  check(odd.length === 0, odd.join("\n"));
  check(
    [...page.hosts].every((host) => host === new URL(base).host),
    [...page.hosts].join(", "),
  );
}

// Creates an account and unlocks it, like a new user.
export async function signUp(page, base, promo, email, password) {
  await page.goto(`${base}/studio/sign-up`, "Create an account");
  await page.fill("E-mail", email);
  await page.fill("Password", password);
  await page.click("form button");
  await page.heading("Promo code");
  await page.fill("Promo code", promo);
  await page.click("form button");
  await page.says("Unlocked");
}

// Opens the account page through the account's menu.
export async function openAccount(page) {
  await page.click("header .avatar");
  await page.click("#menu a", "Account");
  await page.heading("Account");
}
