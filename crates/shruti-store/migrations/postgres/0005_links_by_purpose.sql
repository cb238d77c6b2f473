-- Links that sign in once: one an account that was sent to its address, and one that an operator hands over. Anybody can
-- have the first made, which must not replace the second.
ALTER TABLE sign_in_links DROP CONSTRAINT sign_in_links_pkey, ADD PRIMARY KEY (account, by_mail);
