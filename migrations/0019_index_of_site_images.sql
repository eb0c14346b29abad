-- no-transaction
-- Index `image_uses_setting_key`: image of a setting. A setting has one image at most.
create unique index concurrently if not exists image_uses_setting_key on image_uses (setting) where setting is not null;
