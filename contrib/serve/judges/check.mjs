// What the programs share that judge the wires.
import assert from "node:assert/strict";

export { assert };

// url is the server that is judged.
export const url = process.argv[2];

// refused returns the error with which a promise ends.
export async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  assert.fail("it is not refused");
}

// done returns what the server has done.
export async function done() {
  return (await (await fetch(`${url}/control/done`)).json()) ?? [];
}

// piece lets a slow answer have its next piece.
export async function piece() {
  await fetch(`${url}/control/piece`, { method: "POST" });
}
