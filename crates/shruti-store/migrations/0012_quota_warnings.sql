-- Allowance warnings that were sent to accounts: one per threshold and month.
CREATE TABLE quota_warnings (
    account TEXT    NOT NULL REFERENCES accounts (id),
    month   INTEGER NOT NULL, -- 12 * year + (month - 1)
    percent INTEGER NOT NULL, -- used share of the allowance
    PRIMARY KEY (account, month, percent)
) STRICT, WITHOUT ROWID;
