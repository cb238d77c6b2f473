AND prefix = :whose
