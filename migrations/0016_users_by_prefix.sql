-- Writers are found by the beginning of their names, in any collation of the database.
create index users_by_prefix on users (username_key text_pattern_ops);
