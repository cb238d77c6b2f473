// Writes tables as CSV (RFC 4180).

// Spreadsheets evaluate a field that begins with one of these characters as a formula. Users choose the names of keys,
// so a name may begin with one of them.
const FORMULA = /^[=+\-@\t\r]/;

function field(value) {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Returns a file with a heading and rows. The heading and each row are arrays of fields.
export function csv(heading, rows) {
  const lines = [heading, ...rows].map((row) => `${row.map(field).join(",")}\r\n`);
  return new Blob(lines, { type: "text/csv" });
}
