-- Single-use sign-in links. An account can have two: one that was sent to its address, and one that an operator hands
-- over. Anyone can request the first one, so it must not replace the second one.
ALTER TABLE sign_in_links DROP CONSTRAINT sign_in_links_pkey, ADD PRIMARY KEY (account, by_mail);
