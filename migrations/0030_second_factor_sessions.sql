-- The session that has begun to set an app up: another one, without the password, may neither see its secret nor confirm it.
alter table second_factors add column session bytea;
