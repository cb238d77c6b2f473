-- Allowance warnings that were sent to accounts: one per threshold and month.
CREATE TABLE quota_warnings (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    month   BIGINT NOT NULL, -- 12 * year + (month - 1)
    percent BIGINT NOT NULL, -- used share of the allowance
    PRIMARY KEY (account, month, percent)
);
