// Returns the length of a text in characters (Unicode scalar values), the unit that the server counts and charges.
export function characterCount(text) {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
