// Writes tables as CSV (RFC 4180).

// Spreadsheets evaluate a field that begins like this as a formula. The names of keys are chosen by users, so they may
// begin like this.
const FORMULA = /^[=+\-@\t\r]/;

function field(value) {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Returns a file with a heading and rows. Each is an array of fields.
export function csv(heading, rows) {
  const lines = [heading, ...rows].map((row) => `${row.map(field).join(",")}\r\n`);
  return new Blob(lines, { type: "text/csv" });
}
