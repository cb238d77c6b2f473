// Steps of a check in the browser: each prints what held or why not, and the last line says whether all did.

let failures = 0;

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

// Does a step's work; what it returns is printed with its name.
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

// Ends the browser and the program: with 1 if a step failed.
export function finish(browser, what = "studio") {
  browser.close();
  console.log(failures === 0 ? `${what}: all held` : `${what}: ${failures} FAILED`);
  process.exit(failures === 0 ? 0 : 1);
}

// Goes to a page by its link at the top, or in the menu there.
export async function visit(page, path, heading) {
  await page.run((to) => {
    document.querySelector("h1").remove(); // so that the page which is left is not taken for the next
    document.querySelector(`header a[href="${to}"]`).click();
  }, path);
  await page.heading(heading);
}

// What a person would see in the console but refusals, and requests to other hosts: there is neither.
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

// Makes an account and unlocks it, as a newcomer would.
export async function signUp(page, base, promo, email, password) {
  await page.goto(`${base}/studio/sign-up`, "Make an account");
  await page.fill("E-mail", email);
  await page.fill("Password", password);
  await page.click("form button");
  await page.heading("Promo code");
  await page.fill("Promo code", promo);
  await page.click("form button");
  await page.says("Unlocked");
}

// Opens the account's page by the menu of the account.
export async function openAccount(page) {
  await page.click("header .avatar");
  await page.click("#menu a", "Account");
  await page.heading("Account");
}
