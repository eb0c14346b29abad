-- When somebody has shown that mail to the address reaches them; null before that. No mail but that question is sent to
-- other addresses.
alter table users add column email_confirmed_at timestamptz;

create index users_by_confirmed_email on users (lower(email)) where email_confirmed_at is not null;
