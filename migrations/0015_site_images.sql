-- Images of the site itself: logo and icon. Table: `image_uses`.

-- `image_uses.setting`: name of the setting in `site_settings` that shows the image; NULL for images of posts and profiles.
alter table image_uses add column setting text;
alter table image_uses drop constraint one_place;
alter table image_uses add constraint one_place check (num_nonnulls(post_id, user_id, setting) = 1) not valid;
