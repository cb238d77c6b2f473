// Tables as CSV (RFC 4180).

// What begins so is a formula to spreadsheets, which then compute what somebody named a key.
const FORMULA = /^[=+\-@\t\r]/;

function field(value) {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// A file of a heading and rows, each an array of fields.
export function csv(heading, rows) {
  const lines = [heading, ...rows].map((row) => `${row.map(field).join(",")}\r\n`);
  return new Blob(lines, { type: "text/csv" });
}
