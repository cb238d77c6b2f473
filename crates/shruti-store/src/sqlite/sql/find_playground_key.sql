WHERE keys.purpose = 'playground' AND coalesce(keys.account, '') = coalesce(:account, '')
