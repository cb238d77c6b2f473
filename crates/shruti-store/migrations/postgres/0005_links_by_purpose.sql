-- Single-use sign-in links: per account, one that was sent to its address and one that an operator passes on. Anyone can
-- request the first, which must not replace the second.
ALTER TABLE sign_in_links DROP CONSTRAINT sign_in_links_pkey, ADD PRIMARY KEY (account, by_mail);
