-- Warnings that were given to holders of accounts: one of each kind a month.
CREATE TABLE quota_warnings (
    account TEXT    NOT NULL REFERENCES accounts (id),
    month   INTEGER NOT NULL, -- 12 * year + (month - 1)
    percent INTEGER NOT NULL, -- of the allowance that is used
    PRIMARY KEY (account, month, percent)
) STRICT, WITHOUT ROWID;
