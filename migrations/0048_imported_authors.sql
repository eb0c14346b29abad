-- Name of the author in the blog that `importposts --create-authors` created the account for, so that a later import of the same
-- author finds the account. NULL for all other accounts.
alter table users add column imported_as text;
create unique index users_by_imported_as on users (imported_as) where imported_as is not null;
