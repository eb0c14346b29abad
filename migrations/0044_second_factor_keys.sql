-- The site's key may be replaced. The app's secret is what the key makes of the salt, and this on top of it (xor): with another
-- key another mask makes the same secret. Null: nothing.
alter table second_factors add column mask bytea;
-- Which key that is, by what tells it from others. Null: the only one of then.
alter table second_factors add column key_id bytea;
alter table second_factors add constraint mask_length check (octet_length(mask) = 20);
